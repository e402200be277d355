import Measurement
import Store

/// The newest events and log lines of a run.
struct RecordTails {
  private(set) var events: [ListEntry<Event>] = []
  private(set) var log: [ListEntry<LogLine>] = []
  private var eventCursor: Int64 = 0
  private var logCursor: Int64 = 0

  /// As many of each as can be scrolled through.
  static let capacity = 5_000

  init() {}

  init(_ reader: StoreReader, run: RunID) throws {
    let events = try reader.lastEvents(of: run, limit: Self.capacity)
    let log = try reader.lastLog(of: run, limit: Self.capacity)
    self.events = events.rows.map(ListEntry.init)
    self.log = log.rows.map(ListEntry.init)
    (eventCursor, logCursor) = (events.next, log.next)
  }

  /// Adds what came since.
  /// - Returns: whether anything did.
  mutating func follow(_ reader: StoreReader, run: RunID) throws -> Bool {
    var isChanged = false
    while true {
      let page = try reader.events(after: eventCursor, limit: 1_000)
      eventCursor = page.next
      let new = page.rows.filter { $0.run == run }.map(ListEntry<Event>.init)
      events.append(contentsOf: new)
      isChanged = isChanged || !new.isEmpty
      if page.isComplete { break }
    }
    while true {
      let page = try reader.log(after: logCursor, limit: 1_000)
      logCursor = page.next
      let new = page.rows.filter { $0.run == run }.map(ListEntry<LogLine>.init)
      log.append(contentsOf: new)
      isChanged = isChanged || !new.isEmpty
      if page.isComplete { break }
    }
    // A quarter more, so that not each line moves all the others.
    if events.count > Self.capacity * 5 / 4 { events.removeFirst(events.count - Self.capacity) }
    if log.count > Self.capacity * 5 / 4 { log.removeFirst(log.count - Self.capacity) }
    return isChanged
  }
}

extension ListEntry<Event> {
  fileprivate init(_ record: EventRecord) { self.init(number: record.revision, row: record.event) }
}

extension ListEntry<LogLine> {
  fileprivate init(_ record: LogRecord) { self.init(number: record.revision, row: record.line) }
}
