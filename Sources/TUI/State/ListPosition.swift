/// Which part of a growing list is in view: its end, or a place that stays while rows are added behind it.
enum ListPosition: Sendable, Hashable {
  case end
  /// The entry in the last visible row, by the number the store gave it.
  case at(Int64)

  /// Which entries are visible: at most `rows` of them, ending where the position says.
  /// - Parameter numbers: of all entries, ascending.
  func visible(in numbers: some RandomAccessCollection<Int64>, rows: Int) -> Range<Int> {
    let end: Int
    switch self {
    case .end:
      end = numbers.count
    case .at(let number):
      // The entry may have left the list at its far end: then the list begins at the top.
      let place = numbers.firstIndexInOrder(notBelow: number)
      end = min(numbers.count, max(place + 1, rows))
    }
    return max(0, end - max(0, rows))..<end
  }

  /// The position after moving by `count` rows, down when positive. At the end it follows again.
  func moved(by count: Int, in numbers: some RandomAccessCollection<Int64>, rows: Int) -> ListPosition {
    let end = visible(in: numbers, rows: rows).upperBound + count
    if end >= numbers.count { return .end }
    let last = max(min(rows, numbers.count), end) - 1
    guard last >= 0, last < numbers.count - 1 else { return .end }
    return .at(numbers[numbers.index(numbers.startIndex, offsetBy: last)])
  }
}

extension RandomAccessCollection where Element == Int64 {
  /// Offset of the first element that is at least `bound`, in an ascending collection.
  func firstIndexInOrder(notBelow bound: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[index(startIndex, offsetBy: middle)] < bound { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
