import GRDB
import Measurement

/// Gives rows new revisions above those that a fleet has of this collector already.
///
/// A restored backup goes on from an older state, with revisions that the fleet knows as other rows. Rows that came later than
/// the backup get new ones, so that none is taken for another; so do all changing rows of the runs of which the fleet has a later
/// state, so that the store's own state counts.
///
/// A step is short, and what is done is never wrong: after a crash the whole begins again.
public struct Renumbering: Sendable, Equatable, Codable {
  /// Rows up to this are the same in the fleet.
  fileprivate var common: Int64
  /// Rows above this were written since.
  fileprivate var last: Int64
  /// Those of which the fleet has rows above the cursor's revision.
  fileprivate var runs: [String]
  /// How many of ``tables`` are done.
  fileprivate var done = 0

  /// How many revisions a step changes at most.
  private static let limit = 1_000
  private static let changing = ["run", "target", "sample", "finding"]
  private static let tables = changing + ["receipt", "event", "log", "path", "tombstone"]

  /// Selects revisions of the table that is next; ?1 the common revision, ?2 the last one, ?3 how many.
  private var selectSQL: String {
    """
    SELECT DISTINCT revision FROM \(table) WHERE revision <= ?2 AND (revision > ?1 \(ofRuns))
    ORDER BY revision LIMIT ?3
    """
  }

  private var table: String { Self.tables[min(max(0, done), Self.tables.count - 1)] }

  /// All rows of the runs, where the table has rows that change.
  private var ofRuns: String {
    let list = runs.filter { RunID($0) != nil }.map { "'\($0)'" }.joined(separator: ", ")
    guard !list.isEmpty else { return "" }
    let runs = "(SELECT id FROM run WHERE uuid IN (\(list)))"
    return switch table {
    case "run": "OR id IN \(runs)"
    case "target", "finding": "OR run_id IN \(runs)"
    case "sample":
      "OR id >> \(SampleID.sequenceBits) IN (SELECT id FROM target WHERE run_id IN \(runs))"
    default: ""
    }
  }

  /// Changes some rows.
  fileprivate mutating func step(_ db: Database, _ state: inout WriterState) throws {
    let select = try RawStatement(db, selectSQL)
    select.bind(common, at: 1)
    select.bind(last, at: 2)
    select.bind(Self.limit, at: 3)
    var revisions: [Int64] = []
    while try select.step() { revisions.append(select.integer(0)) }
    let update = try RawStatement(db, "UPDATE \(table) SET revision = ?1 WHERE revision = ?2")
    for revision in revisions {
      state.revision += 1
      update.bind(state.revision, at: 1)
      update.bind(revision, at: 2)
      try update.run()
    }
    if revisions.count < Self.limit { done = min(max(0, done), Self.tables.count) + 1 }
  }

  fileprivate var isDone: Bool { done >= Self.tables.count }
}

extension CollectorStore {
  /// - Parameters:
  ///   - common: rows up to this revision are the same in the fleet.
  ///   - highest: the highest revision in the fleet.
  ///   - runs: those of which the fleet has rows above the cursor's revision.
  /// - Throws: ``StoreError``.
  public func beginRenumbering(
    after common: Int64, above highest: Int64, runs: [String]
  ) throws -> Renumbering {
    guard WriterState.revisions.contains(max(0, highest)) else {
      throw StoreError(
        .conflict, path: path,
        detail: "the fleet has a revision \(highest) of this collector, which it never gave",
        remedy: "delete the collector's rows from the fleet")
    }
    var last: Int64 = 0
    try transaction { _, state in
      last = state.revision
      state.revision = max(state.revision, highest)
    }
    return Renumbering(common: common, last: last, runs: runs)
  }

  /// Gives some rows new revisions.
  /// - Returns: what is left to do; `nil` when all is done.
  /// - Throws: ``StoreError``. The step changed nothing.
  public func advance(_ renumbering: Renumbering) throws -> Renumbering? {
    var next = renumbering
    try transaction { db, state in
      next = renumbering
      try next.step(db, &state)
    }
    return next.isDone ? nil : next
  }
}
