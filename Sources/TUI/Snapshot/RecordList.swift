import Measurement
import Store

/// The part of the events or log lines to be shown.
enum ListPlace: Sendable, Equatable {
  /// The newest rows, as they come.
  case newest
  case around(RecordPlace)
  /// The rows up to a moment.
  case until(WallTime)
}

/// The parts of both lists to be shown.
struct ListsPlace: Sendable, Equatable {
  var events = ListPlace.newest
  var log = ListPlace.newest
}

/// The page of a run's events or log lines that is in memory, and its position among all of them.
struct RecordList<Row: Sendable>: Sendable {
  /// Oldest first, without gaps.
  var entries: [ListEntry<Row>] = []
  /// Number of rows before the first entry.
  var first = 0
  /// Number of rows of the run.
  var total = 0

  init() {}

  /// A list of all rows.
  init(_ entries: [ListEntry<Row>]) { (self.entries, total) = (entries, entries.count) }

  var reachesEnd: Bool { first + entries.count >= total }
}

extension RecordList: Equatable where Row: Equatable {}

extension RecordList where Row: RecordContent {
  /// Rows kept on each side of the one to be shown, so that not every step reads.
  private static var margin: Int { 500 }

  /// Whether the page has the rows to be shown.
  func has(_ place: ListPlace) -> Bool {
    let index: Int
    switch place {
    case .newest: return reachesEnd
    case .around(let place): index = entries.lazy.map(\.place).firstIndexInOrder(notBelow: place)
    case .until(let moment): index = count(until: moment)
    }
    return (index >= Self.margin || first == 0) && (index < entries.count - 1 || reachesEnd)
  }

  /// The part up to a moment.
  func until(_ moment: WallTime) -> RecordList {
    var list = self
    list.entries = Array(entries[..<count(until: moment)])
    // How many rows outside the page had happened by then is not known.
    list.total = first + list.entries.count
    return list
  }

  /// Number of entries at or before a moment.
  private func count(until moment: WallTime) -> Int {
    entries.lazy.map(\.place).firstIndexInOrder(notBelow: RecordPlace(endOf: moment))
  }
}

/// A log line or event with its revision in the store.
struct ListEntry<Row: Sendable>: Sendable {
  var revision: Int64
  var row: Row
}

extension ListEntry where Row: RecordContent {
  /// Where it stands, by which a list keeps its position.
  var place: RecordPlace { RecordPlace(at: row.at, revision: revision) }
}

extension ListEntry: Equatable where Row: Equatable {}
