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
  mutating func follow(_ reader: any DashboardSource, run: RunID) throws {
    marks.append(try events.follow(reader, run: run))
    try log.follow(reader, run: run)
  }

  /// Reads some older events for their marks.
  mutating func readMarks(_ reader: any DashboardSource, run: RunID) throws {
    try marks.readBack(reader, run: run)
  }

  /// Reads the pages that are to be shown.
  mutating func show(_ place: ListsPlace, _ reader: any DashboardSource, run: RunID) throws {
    try events.show(place.events, reader, run: run)
    try log.show(place.log, reader, run: run)
  }
}

/// A contiguous page of a run's events or log lines.
struct RecordPage<Row: RecordContent> {
  private(set) var list = RecordList<Row>()
  private var cursor: Int64 = 0

  init() {}

  /// The newest.
  init(_ reader: any DashboardSource, run: RunID) throws {
    let page = try reader.last(Row.self, of: run, through: .last, limit: RecordTails.capacity)
    list.entries = page.rows.map { ListEntry($0) }
    try countFirst(reader, run)
    list.total = list.first + list.entries.count
    cursor = page.next
  }

  private mutating func countFirst(_ reader: any DashboardSource, _ run: RunID) throws {
    list.first = try list.entries.first.map { try reader.count(Row.self, of: run, before: $0.place) } ?? 0
  }

  /// - Returns: the new rows, including those outside the page.
  @discardableResult
  mutating func follow(_ reader: any DashboardSource, run: RunID) throws -> [ListEntry<Row>] {
    var news: [ListEntry<Row>] = []
    while true {
      let page = try reader.changes(Row.self, of: run, after: cursor, limit: 1_000)
      cursor = page.next
      news += page.rows.lazy.filter { $0.run == run }.map { ListEntry($0) }
      if page.isComplete { break }
    }
    guard !news.isEmpty else { return [] }
    let hasEnd = list.reachesEnd
    var isCounted = hasEnd
    for entry in news {
      let index = list.entries.lazy.map(\.place).firstIndexInOrder(notBelow: entry.place)
      if index == list.entries.count {
        if hasEnd { list.entries.append(entry) }
      } else if list.entries[index].place != entry.place {
        // About the past; the page may have been read again meanwhile, with the others.
        if index > 0 || list.first == 0 { list.entries.insert(entry, at: index) } else { isCounted = false }
      }
    }
    if isCounted {
      list.total = list.first + list.entries.count
    } else {
      try countFirst(reader, run)
      list.total = try reader.count(Row.self, of: run, before: .last)
    }
    // A quarter more, so that not every row moves all others.
    if list.entries.count > RecordTails.capacity * 5 / 4 {
      let dropped = list.entries.count - RecordTails.capacity
      list.entries.removeFirst(dropped)
      list.first += dropped
    }
    return news
  }

  /// Reads another page when the current one does not have the rows to be shown, with rows on both sides of them.
  mutating func show(_ place: ListPlace, _ reader: any DashboardSource, run: RunID) throws {
    guard !list.has(place) else { return }
    let through: RecordPlace =
      switch place {
      case .newest: .last
      case .around(let place): place
      case .until(let moment): RecordPlace(endOf: moment)
      }
    let half = place == .newest ? RecordTails.capacity : RecordTails.capacity / 2
    list.entries = try reader.last(Row.self, of: run, through: through, limit: half).rows.map {
      ListEntry($0)
    }
    if through != .last {
      let rest = RecordTails.capacity - list.entries.count
      list.entries += try reader.first(Row.self, of: run, after: through, limit: rest).map { ListEntry($0) }
    }
    try countFirst(reader, run)
    list.total = list.first + list.entries.count
    if place != .newest { list.total = max(list.total, try reader.count(Row.self, of: run, before: .last)) }
  }
}

extension ListEntry where Row: RecordContent {
  init(_ record: StoredRecord<Row>) { self.init(revision: record.revision, row: record.content) }
}
