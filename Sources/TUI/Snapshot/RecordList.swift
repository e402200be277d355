import Measurement

/// Which part of the events or log lines is to be shown.
enum ListPlace: Sendable, Equatable {
  /// The end, as it grows.
  case newest
  /// Where the row of a number is.
  case around(Int64)
  /// What had happened at a moment.
  case until(WallTime)
}

/// The same for both.
struct ListsPlace: Sendable, Equatable {
  var events = ListPlace.newest
  var log = ListPlace.newest
}

/// The part of a run's events or log lines that is at hand, and where it lies among all of them.
struct RecordList<Row: Sendable>: Sendable {
  /// Oldest first, without gaps.
  var entries: [ListEntry<Row>] = []
  /// How many there are before the first of them.
  var first = 0
  /// How many the run has in all.
  var total = 0

  init() {}

  /// All there are.
  init(_ entries: [ListEntry<Row>]) { (self.entries, total) = (entries, entries.count) }

  var reachesEnd: Bool { first + entries.count >= total }
}

extension RecordList: Equatable where Row: Equatable {}

extension RecordList where Row: PagedRecord {
  /// Rows that are at hand on each side of the one to be shown, so that not every step reads.
  private static var margin: Int { 500 }

  /// Whether the part at hand has what is to be shown.
  func has(_ place: ListPlace) -> Bool {
    let index: Int
    switch place {
    case .newest: return reachesEnd
    case .around(let number): index = entries.lazy.map(\.number).firstIndexInOrder(notBelow: number)
    case .until(let moment): index = count(until: moment)
    }
    return (index >= Self.margin || first == 0) && (index < entries.count - 1 || reachesEnd)
  }

  /// As it was at a moment. Rows lie in the order they were written in, which is that of their times but for moments.
  func until(_ moment: WallTime) -> RecordList {
    var list = self
    list.entries = Array(entries[..<count(until: moment)])
    // Those that are not at hand lie before or behind; it is not known how many had happened.
    list.total = first + list.entries.count
    return list
  }

  /// How many of those at hand had happened at a moment.
  private func count(until moment: WallTime) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].row.at <= moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A row of the log or of the events, with the number the store gave it, by which a list keeps its place.
struct ListEntry<Row: Sendable>: Sendable {
  var number: Int64
  var row: Row
}

extension ListEntry: Equatable where Row: Equatable {}
