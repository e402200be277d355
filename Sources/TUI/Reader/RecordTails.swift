import Measurement
import Store

/// Events and log lines of a run: the page of each that a list shows, and all marks on the time axis.
struct RecordTails {
  private(set) var events: RecordPage<Event>
  private(set) var log: RecordPage<LogLine>
  private(set) var marks = AxisMarks()

  /// Rows of each that are kept in memory.
  static let capacity = 5_000

  init() { (events, log) = (RecordPage(), RecordPage()) }

  init(_ reader: any DashboardSource, run: RunID) throws {
    events = try RecordPage(reader, run: run)
    log = try RecordPage(reader, run: run)
    marks = AxisMarks(newest: events.list)
  }

  /// Reads new rows.
  /// - Returns: whether anything looks different.
  mutating func follow(_ reader: any DashboardSource, run: RunID) throws -> Bool {
    let news = try events.follow(reader, run: run)
    marks.append(news)
    return try !log.follow(reader, run: run).isEmpty || !news.isEmpty
  }

  /// Reads some older events for their marks.
  /// - Returns: whether anything looks different.
  mutating func readMarks(_ reader: any DashboardSource, run: RunID) throws -> Bool {
    guard !marks.isComplete else { return false }
    try marks.readBack(reader, run: run)
    return true
  }

  /// Reads the pages that are to be shown.
  /// - Returns: whether anything looks different.
  mutating func show(_ place: ListsPlace, _ reader: any DashboardSource, run: RunID) throws -> Bool {
    let isOther = try events.show(place.events, reader, run: run)
    return try log.show(place.log, reader, run: run) || isOther
  }
}

/// A contiguous page of a run's events or log lines.
struct RecordPage<Row: PagedRecord> {
  private(set) var list = RecordList<Row>()
  private var cursor: Int64 = 0

  init() {}

  /// The newest.
  init(_ reader: any DashboardSource, run: RunID) throws {
    let page = try Row.last(reader, of: run, through: .max, limit: RecordTails.capacity)
    list.entries = page.entries
    list.first = try list.entries.first.map { try Row.count(reader, of: run, before: $0.number) } ?? 0
    list.total = list.first + list.entries.count
    cursor = page.next
  }

  /// - Returns: the new rows, including those outside the page.
  mutating func follow(_ reader: any DashboardSource, run: RunID) throws -> [ListEntry<Row>] {
    var news: [ListEntry<Row>] = []
    while true {
      let page = try Row.changes(reader, of: run, after: cursor, limit: 1_000)
      cursor = page.next
      news += page.entries
      if page.isComplete { break }
    }
    guard !news.isEmpty else { return [] }
    if list.reachesEnd {
      // The page may have been read again meanwhile, with some of these rows.
      let last = list.entries.last?.number ?? .min
      let unseen = news.filter { $0.number > last }
      list.entries += unseen
      list.total = list.first + list.entries.count
      // A quarter more, so that not every row moves all others.
      if list.entries.count > RecordTails.capacity * 5 / 4 {
        let dropped = list.entries.count - RecordTails.capacity
        list.entries.removeFirst(dropped)
        list.first += dropped
      }
    } else {
      list.total = try Row.count(reader, of: run, before: .max)
    }
    return news
  }

  /// Reads another page when the current one does not have the rows to be shown, with rows on both sides of them.
  /// - Returns: whether a page was read.
  mutating func show(_ place: ListPlace, _ reader: any DashboardSource, run: RunID) throws -> Bool {
    guard !list.has(place) else { return false }
    let through: Int64
    switch place {
    case .newest: through = .max
    case .around(let number): through = number
    case .until(let moment): through = try Row.last(reader, of: run, until: moment) ?? 0
    }
    let half = place == .newest ? RecordTails.capacity : RecordTails.capacity / 2
    let before = try Row.last(reader, of: run, through: through, limit: half).entries
    let after =
      through == .max
      ? [] : try Row.first(reader, of: run, after: through, limit: RecordTails.capacity - before.count)
    list.entries = before + after
    list.first = try list.entries.first.map { try Row.count(reader, of: run, before: $0.number) } ?? 0
    list.total = list.first + list.entries.count
    if place != .newest { list.total = max(list.total, try Row.count(reader, of: run, before: .max)) }
    return true
  }
}

/// Rows that are read in pages.
protocol PagedRecord: Sendable, Equatable {
  var at: WallTime { get }

  /// The last rows of a run up to a number, oldest first, and the cursor from which to follow changes.
  static func last(_ reader: any DashboardSource, of run: RunID, through number: Int64, limit: Int) throws
    -> (entries: [ListEntry<Self>], next: Int64)
  /// The first rows after a number.
  static func first(_ reader: any DashboardSource, of run: RunID, after number: Int64, limit: Int) throws
    -> [ListEntry<Self>]
  /// The rows written after a cursor.
  static func changes(_ reader: any DashboardSource, of run: RunID, after cursor: Int64, limit: Int) throws
    -> (entries: [ListEntry<Self>], next: Int64, isComplete: Bool)
  static func count(_ reader: any DashboardSource, of run: RunID, before number: Int64) throws -> Int
  /// The number of the last row at or before a moment.
  static func last(_ reader: any DashboardSource, of run: RunID, until moment: WallTime) throws -> Int64?
}

extension Event: PagedRecord {
  static func last(_ reader: any DashboardSource, of run: RunID, through number: Int64, limit: Int) throws
    -> (entries: [ListEntry<Event>], next: Int64)
  {
    let page = try reader.lastEvents(of: run, through: number, limit: limit)
    return (page.rows.map { ListEntry(number: $0.revision, row: $0.event) }, page.next)
  }

  static func first(_ reader: any DashboardSource, of run: RunID, after number: Int64, limit: Int) throws
    -> [ListEntry<Event>]
  {
    try reader.firstEvents(of: run, after: number, limit: limit).map {
      ListEntry(number: $0.revision, row: $0.event)
    }
  }

  static func changes(_ reader: any DashboardSource, of run: RunID, after cursor: Int64, limit: Int) throws
    -> (entries: [ListEntry<Event>], next: Int64, isComplete: Bool)
  {
    let page = try reader.events(of: run, after: cursor, limit: limit)
    let entries = page.rows.lazy.filter { $0.run == run }.map {
      ListEntry(number: $0.revision, row: $0.event)
    }
    return (Array(entries), page.next, page.isComplete)
  }

  static func count(_ reader: any DashboardSource, of run: RunID, before number: Int64) throws -> Int {
    try reader.eventCount(of: run, before: number)
  }

  static func last(_ reader: any DashboardSource, of run: RunID, until moment: WallTime) throws -> Int64? {
    try reader.lastEvent(of: run, until: moment)
  }
}

extension LogLine: PagedRecord {
  static func last(_ reader: any DashboardSource, of run: RunID, through number: Int64, limit: Int) throws
    -> (entries: [ListEntry<LogLine>], next: Int64)
  {
    let page = try reader.lastLog(of: run, through: number, limit: limit)
    return (page.rows.map { ListEntry(number: $0.revision, row: $0.line) }, page.next)
  }

  static func first(_ reader: any DashboardSource, of run: RunID, after number: Int64, limit: Int) throws
    -> [ListEntry<LogLine>]
  {
    try reader.firstLog(of: run, after: number, limit: limit).map {
      ListEntry(number: $0.revision, row: $0.line)
    }
  }

  static func changes(_ reader: any DashboardSource, of run: RunID, after cursor: Int64, limit: Int) throws
    -> (entries: [ListEntry<LogLine>], next: Int64, isComplete: Bool)
  {
    let page = try reader.log(of: run, after: cursor, limit: limit)
    let entries = page.rows.lazy.filter { $0.run == run }.map { ListEntry(number: $0.revision, row: $0.line) }
    return (Array(entries), page.next, page.isComplete)
  }

  static func count(_ reader: any DashboardSource, of run: RunID, before number: Int64) throws -> Int {
    try reader.logCount(of: run, before: number)
  }

  static func last(_ reader: any DashboardSource, of run: RunID, until moment: WallTime) throws -> Int64? {
    try reader.lastLogLine(of: run, until: moment)
  }
}
