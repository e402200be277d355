import Measurement

/// The lines of log and events that are listed: those at hand, or those of them that pass the filter.
struct ListedRows: Sendable {
  var log: [ListEntry<LogLine>] = []
  var events: [ListEntry<Event>] = []
  private(set) var logExtent = ListExtent()
  private(set) var eventExtent = ListExtent()

  init() {}

  init(_ snapshot: Snapshot, _ filter: ListFilter?) {
    logExtent = ListExtent(snapshot.logList, isFiltered: filter != nil)
    eventExtent = ListExtent(snapshot.eventList, isFiltered: filter != nil)
    guard let filter else {
      (log, events) = (snapshot.log, snapshot.events)
      return
    }
    let names = Dictionary(snapshot.targets.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    log = snapshot.log.filter { filter.matches($0.row) }
    events = snapshot.events.filter { entry in
      filter.matches(entry.row, target: entry.row.target.flatMap { names[$0] } ?? "")
    }
  }
}

/// Where the rows at hand lie among all that there are.
struct ListExtent: Sendable, Equatable {
  /// How many there are before them.
  var first = 0
  var count = 0
  var total = 0
  /// Only some of those at hand are listed.
  var isFiltered = false

  init() {}

  init<Row>(_ list: RecordList<Row>, isFiltered: Bool) {
    (first, count, total) = (list.first, list.entries.count, list.total)
    self.isFiltered = isFiltered
  }

  var reachesEnd: Bool { first + count >= total }

  var isWhole: Bool { count >= total }

  /// What to say when nothing is listed.
  func emptyText(_ none: String, noneMatches: String, ellipsis: String) -> String {
    if count == 0, first > 0 { return "reading\(ellipsis)" }
    guard isFiltered else { return none }
    return isWhole ? noneMatches : "\(noneMatches) among the \(FixedPoint.grouped(count)) at hand"
  }
}
