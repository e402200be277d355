extension RandomAccessCollection {
  /// Index of the first element for which a condition holds, by binary search; ``endIndex`` if it holds for none. The condition must
  /// hold for every element after that one.
  @inlinable
  public func partitioningIndex(where holds: (Element) throws -> Bool) rethrows -> Index {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
      if try holds(self[middle]) { high = middle } else { low = index(after: middle) }
    }
    return low
  }
}

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
