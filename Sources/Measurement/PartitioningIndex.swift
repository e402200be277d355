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
