extension Array {
  /// Appends a range, or extends the last one where they overlap. Ranges come in ascending order of their lower bounds.
  public mutating func appendMerging<Bound>(_ range: ClosedRange<Bound>) where Element == ClosedRange<Bound> {
    if let last, range.lowerBound <= last.upperBound {
      self[count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
    } else {
      append(range)
    }
  }
}
