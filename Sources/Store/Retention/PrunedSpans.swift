import GRDB
import Measurement

/// A kind of row that is kept for a time of its own. Raw values are the store's.
public enum RetainedKind: String, Sendable, Hashable, CaseIterable {
  /// Notifications, with the receipts that belong to them.
  case samples
  case receipts, path, log, events
  /// Clock exchanges with devices.
  case clock
  /// Findings that are closed.
  case findings
  case rollupSecond = "rollup_second"
  case rollupMinute = "rollup_minute"
  case rollupHour = "rollup_hour"

  init(_ span: RollupSpan) {
    switch span {
    case .second: self = .rollupSecond
    case .minute: self = .rollupMinute
    case .hour: self = .rollupHour
    }
  }

  var span: RollupSpan? {
    switch self {
    case .rollupSecond: .second
    case .rollupMinute: .minute
    case .rollupHour: .hour
    case .samples, .receipts, .path, .log, .events, .clock, .findings: nil
    }
  }

  /// The table of this kind where its rows come in the order of time, with the column that has it; `nil` for other kinds.
  var rowsInOrder: (table: String, time: String)? {
    switch self {
    case .receipts: ("receipt", "arrived_at")
    case .path: ("path", "at")
    case .log: ("log", "at")
    case .events: ("event", "at")
    case .clock: ("clock_exchange", "arrived_at")
    case .samples, .findings, .rollupSecond, .rollupMinute, .rollupHour: nil
    }
  }

  /// Whether rows of this kind are never forwarded to a fleet.
  var staysOnHost: Bool { self == .clock || span != nil }
}

/// How far retention has deleted each kind of row. All instants are whole hours.
///
/// A span whose samples are gone does not change any more, except for notifications that were still open when the others were
/// deleted: its rollups are the only record of it.
public struct PrunedSpans: Sendable, Equatable {
  private var marks: [RetainedKind: WallTime] = [:]
  private var forced: [RetainedKind: Forced] = [:]

  /// Rows that are deleted although they may not be forwarded: a person or the store's size asked for it.
  struct Forced: Sendable, Equatable {
    /// Those that are older than this.
    var before = WallTime(microseconds: 0)
    /// Those that have not changed since the store had this revision.
    var through: Int64 = 0
  }

  public init() {}

  /// What is older than this is deleted, or is going to be; `nil` where nothing was deleted.
  public subscript(kind: RetainedKind) -> WallTime? { marks[kind] }

  /// What was asked for last.
  func forced(_ kind: RetainedKind) -> Forced { forced[kind] ?? Forced() }

  /// Notifications planned before are gone; `nil` where all are there.
  public var samples: WallTime? { marks[.samples] }

  /// Whether single notifications of a range of planned time may be gone.
  public func hasPruned(samplesFrom start: WallTime) -> Bool { samples.map { start < $0 } ?? false }

  /// The finest rollups that cover a range from its start on: seconds, unless they were deleted.
  public func finestSpan(from start: WallTime) -> RollupSpan {
    RollupSpan.allCases.first { span in marks[RetainedKind(span)].map { start >= $0 } ?? true } ?? .hour
  }

  /// A span, or the finest that is left from an instant on, whichever is coarser.
  public func coarser(_ span: RollupSpan, from start: WallTime) -> RollupSpan {
    let finest = finestSpan(from: start)
    return span.rawValue < finest.rawValue ? finest : span
  }

  static func fetch(_ db: Database) throws -> PrunedSpans {
    let statement = try RawStatement(
      db, "SELECT subject, pruned_to, forced_to, forced_through FROM retention")
    var spans = PrunedSpans()
    while try statement.step() {
      guard let kind = statement.text(0).flatMap(RetainedKind.init(rawValue:)) else { continue }
      spans.marks[kind] = WallTime(microseconds: statement.integer(1))
      spans.forced[kind] = Forced(
        before: WallTime(microseconds: statement.integer(2)), through: statement.integer(3))
    }
    return spans
  }

  /// Moves a mark, which never moves back.
  /// - Returns: whether it has moved.
  @discardableResult
  mutating func advance(_ kind: RetainedKind, to time: WallTime) -> Bool {
    guard marks[kind].map({ $0 < time }) ?? true else { return false }
    marks[kind] = time
    return true
  }

  /// The same, in the store too.
  /// - Parameter revision: the store's where rows before that time go although they may not be forwarded; `nil` where they wait.
  mutating func advance(
    _ kind: RetainedKind, to time: WallTime, forcedThrough revision: Int64?, _ db: Database
  ) throws {
    if advance(kind, to: time) {
      try db.execute(
        sql: """
          INSERT INTO retention (subject, pruned_to) VALUES (?, ?)
          ON CONFLICT (subject) DO UPDATE SET pruned_to = max(pruned_to, excluded.pruned_to)
          """,
        arguments: [kind.rawValue, time.microseconds])
    }
    guard let revision else { return }
    forced[kind] = Forced(before: time, through: revision)
    try db.execute(
      sql: "UPDATE retention SET forced_to = ?, forced_through = ? WHERE subject = ?",
      arguments: [time.microseconds, revision, kind.rawValue])
  }
}

extension StoreReader {
  /// How far retention has deleted each kind of row.
  /// - Throws: ``StoreError``.
  public func pruned() throws -> PrunedSpans { try read(PrunedSpans.fetch) }
}
