import Measurement
import Store

/// The events of a run that have a mark on the time axis: what happened to connections, tokens and clocks.
///
/// The store has no index of events by kind. Marks are taken from the events as these are read, the newest first. Each poll
/// reads a part of them, so that a run with millions of events shows at once.
struct AxisMarks: Sendable, Equatable {
  struct Mark: Sendable, Equatable {
    let at: WallTime
    let kind: EventKind
    let target: TargetID?
    /// The text of an annotation.
    var note: String?
  }

  /// Ascending by time.
  private(set) var marks: [Mark] = []
  /// The first event that was read; `nil` when there is none before it.
  private var first: RecordPlace?
  /// Length of time in which one mark is kept for each target; zero keeps all.
  private var grain = Duration.zero

  /// The number of marks that are kept at most; more are thinned out.
  private static let capacity = 50_000
  /// Events read at a time.
  private static let step = 20_000

  init() {}

  /// - Parameter newest: the last events of a run.
  init(newest: RecordList<Event>) {
    append(newest.entries)
    if newest.first > 0 { first = newest.entries.first?.place }
  }

  /// Whether all events have been read.
  var isComplete: Bool { first == nil }

  /// The time since when all marks are known.
  var from: WallTime { first?.at ?? .distantPast }

  /// Adds events that were written later. Those about a past that is still to be read are read then.
  mutating func append(_ entries: [ListEntry<Event>]) {
    insert(entries.filter { $0.place >= first ?? .first }.compactMap { Mark($0.row) })
  }

  /// Reads some of the events before those that were read.
  mutating func readBack(_ reader: any DashboardSource, run: RunID) throws {
    guard let before = first else { return }
    let entries = try reader.last(Event.self, of: run, through: before.previous, limit: Self.step).rows
      .map { ListEntry($0) }
    insert(entries.compactMap { Mark($0.row) })
    first = entries.count < Self.step ? nil : entries.first?.place
  }

  /// The part up to a moment.
  func until(_ moment: WallTime) -> AxisMarks {
    var known = self
    known.marks.removeSubrange(marks.partitioningIndex { $0.at > moment }...)
    return known
  }

  func marks(from start: WallTime, to end: WallTime) -> ArraySlice<Mark> {
    let lower = marks.partitioningIndex { $0.at >= start }
    return marks[lower..<max(lower, marks.partitioningIndex { $0.at >= end })]
  }

  private mutating func insert(_ new: [Mark]) {
    guard !new.isEmpty else { return }
    let isInOrder = marks.last.map { last in new.allSatisfy { $0.at >= last.at } } ?? true
    marks += new
    if !isInOrder || zip(new, new.dropFirst()).contains(where: { $0.at > $1.at }) {
      marks.sort { $0.at < $1.at }
    }
    while marks.count > Self.capacity { thin() }
  }

  /// Keeps one mark per length of time and target. Annotations win, then marks with the role `warning`.
  private mutating func thin() {
    grain = max(.seconds(1), grain * 2)
    struct Place: Hashable {
      let stretch: Int64
      let target: TargetID?
    }
    let length = grain.microseconds
    var kept: [Mark] = []
    var places: [Place: Int] = [:]
    for mark in marks {
      let place = Place(stretch: mark.at.microseconds.flooringDivision(by: length), target: mark.target)
      if let index = places[place] {
        if mark.rank > kept[index].rank { kept[index] = mark }
      } else {
        places[place] = kept.count
        kept.append(mark)
      }
    }
    marks = kept.sorted { $0.at < $1.at }
  }
}

extension AxisMarks.Mark {
  /// The greatest is shown where there is room for one.
  var rank: Int { kind == .annotation ? 2 : kind.role == .warning ? 1 : 0 }

  /// `nil` for kinds without a mark.
  fileprivate init?(_ event: Event) {
    guard event.kind.axisLabel != nil else { return nil }
    self.init(
      at: event.at, kind: event.kind, target: event.target,
      note: event.kind == .annotation ? event.detail : nil)
  }
}
