import Measurement
import Store

/// Events and log lines of a run: of each the part that a list shows, and every mark on the axis of time.
struct RecordTails {
  private(set) var events: RecordPage<Event>
  private(set) var log: RecordPage<LogLine>
  private(set) var marks = AxisMarks()

  /// As many of each as are at hand.
  static let capacity = 5_000

  init() { (events, log) = (RecordPage(), RecordPage()) }

  init(_ reader: StoreReader, run: RunID) throws {
    events = try RecordPage(reader, run: run)
    log = try RecordPage(reader, run: run)
    marks = AxisMarks(newest: events.list)
  }

  /// Adds what came since, and looks further back for marks.
  /// - Returns: whether anything looks different.
  mutating func follow(_ reader: StoreReader, run: RunID) throws -> Bool {
    let news = try events.follow(reader, run: run)
    marks.append(news)
    return try !log.follow(reader, run: run).isEmpty || !news.isEmpty
  }

  /// Reads some of the marks that lie further back.
  /// - Returns: whether anything looks different.
  mutating func readMarks(_ reader: StoreReader, run: RunID) throws -> Bool {
    guard !marks.isComplete else { return false }
    try marks.readBack(reader, run: run)
    return true
  }

  /// Gets the parts that are to be shown.
  /// - Returns: whether anything looks different.
  mutating func show(_ place: ListsPlace, _ reader: StoreReader, run: RunID) throws -> Bool {
    let isOther = try events.show(place.events, reader, run: run)
    return try log.show(place.log, reader, run: run) || isOther
  }
}

/// A part of a run's events or log lines, without gaps.
struct RecordPage<Row: PagedRecord> {
  private(set) var list = RecordList<Row>()
  private var cursor: Int64 = 0

  init() {}

  /// The newest.
  init(_ reader: StoreReader, run: RunID) throws {
    let page = try Row.last(reader, of: run, through: .max, limit: RecordTails.capacity)
    list.entries = page.entries
    list.first = try list.entries.first.map { try Row.count(reader, of: run, before: $0.number) } ?? 0
    list.total = list.first + list.entries.count
    cursor = page.next
  }

  /// - Returns: what came since, also where it is not at hand then.
  mutating func follow(_ reader: StoreReader, run: RunID) throws -> [ListEntry<Row>] {
    var news: [ListEntry<Row>] = []
    while true {
      let page = try Row.changes(reader, of: run, after: cursor, limit: 1_000)
      cursor = page.next
      news += page.entries
      if page.isComplete { break }
    }
    guard !news.isEmpty else { return [] }
    if list.reachesEnd {
      // Read anew as a page may have been meanwhile.
      let last = list.entries.last?.number ?? .min
      let unseen = news.filter { $0.number > last }
      list.entries += unseen
      list.total = list.first + list.entries.count
      // A quarter more, so that not each line moves all the others.
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

  /// Reads another part when what is at hand does not have what is to be shown, with some of what stands before and
  /// behind it.
  /// - Returns: whether it did.
  mutating func show(_ place: ListPlace, _ reader: StoreReader, run: RunID) throws -> Bool {
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

/// Rows that are read a page at a time.
protocol PagedRecord: Sendable, Equatable {
  var at: WallTime { get }

  /// The last rows of a run up to a number, oldest first, and the cursor to follow from.
  static func last(_ reader: StoreReader, of run: RunID, through number: Int64, limit: Int) throws
    -> (entries: [ListEntry<Self>], next: Int64)
  /// The first ones after a number.
  static func first(_ reader: StoreReader, of run: RunID, after number: Int64, limit: Int) throws
    -> [ListEntry<Self>]
  /// What was written after a cursor.
  static func changes(_ reader: StoreReader, of run: RunID, after cursor: Int64, limit: Int) throws
    -> (entries: [ListEntry<Self>], next: Int64, isComplete: Bool)
  static func count(_ reader: StoreReader, of run: RunID, before number: Int64) throws -> Int
  /// The number of the last one that had happened at a moment.
  static func last(_ reader: StoreReader, of run: RunID, until moment: WallTime) throws -> Int64?
}

extension Event: PagedRecord {
  static func last(_ reader: StoreReader, of run: RunID, through number: Int64, limit: Int) throws
    -> (entries: [ListEntry<Event>], next: Int64)
  {
    let page = try reader.lastEvents(of: run, through: number, limit: limit)
    return (page.rows.map { ListEntry(number: $0.revision, row: $0.event) }, page.next)
  }

  static func first(_ reader: StoreReader, of run: RunID, after number: Int64, limit: Int) throws
    -> [ListEntry<Event>]
  {
    try reader.firstEvents(of: run, after: number, limit: limit).map {
      ListEntry(number: $0.revision, row: $0.event)
    }
  }

  static func changes(_ reader: StoreReader, of run: RunID, after cursor: Int64, limit: Int) throws
    -> (entries: [ListEntry<Event>], next: Int64, isComplete: Bool)
  {
    let page = try reader.events(after: cursor, limit: limit)
    let entries = page.rows.lazy.filter { $0.run == run }.map {
      ListEntry(number: $0.revision, row: $0.event)
    }
    return (Array(entries), page.next, page.isComplete)
  }

  static func count(_ reader: StoreReader, of run: RunID, before number: Int64) throws -> Int {
    try reader.eventCount(of: run, before: number)
  }

  static func last(_ reader: StoreReader, of run: RunID, until moment: WallTime) throws -> Int64? {
    try reader.lastEvent(of: run, until: moment)
  }
}

extension LogLine: PagedRecord {
  static func last(_ reader: StoreReader, of run: RunID, through number: Int64, limit: Int) throws
    -> (entries: [ListEntry<LogLine>], next: Int64)
  {
    let page = try reader.lastLog(of: run, through: number, limit: limit)
    return (page.rows.map { ListEntry(number: $0.revision, row: $0.line) }, page.next)
  }

  static func first(_ reader: StoreReader, of run: RunID, after number: Int64, limit: Int) throws
    -> [ListEntry<LogLine>]
  {
    try reader.firstLog(of: run, after: number, limit: limit).map {
      ListEntry(number: $0.revision, row: $0.line)
    }
  }

  static func changes(_ reader: StoreReader, of run: RunID, after cursor: Int64, limit: Int) throws
    -> (entries: [ListEntry<LogLine>], next: Int64, isComplete: Bool)
  {
    let page = try reader.log(after: cursor, limit: limit)
    let entries = page.rows.lazy.filter { $0.run == run }.map { ListEntry(number: $0.revision, row: $0.line) }
    return (Array(entries), page.next, page.isComplete)
  }

  static func count(_ reader: StoreReader, of run: RunID, before number: Int64) throws -> Int {
    try reader.logCount(of: run, before: number)
  }

  static func last(_ reader: StoreReader, of run: RunID, until moment: WallTime) throws -> Int64? {
    try reader.lastLogLine(of: run, until: moment)
  }
}
