import Measurement

/// The lines of log and events that are listed: all there are, or those that pass the filter.
struct ListedRows: Sendable {
  var log: [ListEntry<LogLine>] = []
  var events: [ListEntry<Event>] = []

  init() {}

  init(_ snapshot: Snapshot, _ filter: ListFilter?) {
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
