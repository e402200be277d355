/// Sorts many elements by whole numbers in time O(n): a stable sort by their digits, the lowest first.
enum RadixSort {
  private static let digitBits: UInt64 = 11
  /// The number of elements below which comparisons are faster.
  private static let smallestCount = 1024

  /// - Returns: the elements in ascending order of the key, equal ones in the order in which they were.
  static func sorted<Element>(_ elements: consuming [Element], by key: (Element) -> Int64) -> [Element] {
    guard elements.count >= smallestCount, let first = elements.first.map(key) else {
      return elements.sorted { key($0) < key($1) }
    }
    let (least, most) = elements.reduce((first, first)) { (min($0.0, key($1)), max($0.1, key($1))) }
    // Differences from the least, which fit whatever the keys are.
    let base = UInt64(bitPattern: least)
    let largest = UInt64(bitPattern: most) &- base
    var from = consume elements
    var to = [Element](repeating: from[0], count: from.count)
    var shift: UInt64 = 0
    while shift < 64, largest >> shift > 0 {
      pass(&from, &to) { Int(((UInt64(bitPattern: key($0)) &- base) >> shift) & (1 << digitBits - 1)) }
      swap(&from, &to)
      shift += digitBits
    }
    return from
  }

  /// Puts elements in the order of one digit.
  private static func pass<Element>(
    _ from: inout [Element], _ to: inout [Element], digit: (Element) -> Int
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Int(digitBits)) { places in
      places.initialize(repeating: 0)
      from.withUnsafeBufferPointer { source in
        for element in source { places[digit(element)] += 1 }
        var next = 0
        for place in places.indices {
          let count = places[place]
          places[place] = next
          next += count
        }
        to.withUnsafeMutableBufferPointer { target in
          for element in source {
            let value = digit(element)
            target[places[value]] = element
            places[value] += 1
          }
        }
      }
    }
  }
}
