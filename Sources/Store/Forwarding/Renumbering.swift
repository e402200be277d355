import GRDB
import Measurement

/// Gives rows new revisions above those that a fleet has of this collector already.
///
/// A restored backup goes on from an older state, with revisions that the fleet knows as other rows. Rows that came later than
/// the backup get new ones, so that none is taken for another; so do all changing rows of the runs of which the fleet has a later
/// state, so that the store's own state counts.
///
/// A step is short, and what is done is never wrong: after a crash the whole begins again.
public struct Renumbering {
  private let store: CollectorStore
  /// Rows up to this are the same in the fleet.
  private let common: Int64
  /// Rows above this were written since.
  private let last: Int64
  private var tables: [Part]

  private struct Part {
    var table: String
    /// Selects revisions; ?1 the common revision, ?2 the last one, ?3 how many.
    var sql: String
  }

  /// - Parameters:
  ///   - common: rows up to this revision are the same in the fleet.
  ///   - highest: the highest revision in the fleet.
  ///   - runs: those of which the fleet has rows above the cursor's revision.
  /// - Throws: ``StoreError``.
  public init(
    _ store: CollectorStore, after common: Int64, above highest: Int64, runs: [String]
  ) throws {
    self.store = store
    self.common = common
    var last: Int64 = 0
    try store.transaction { _, state in
      last = state.revision
      state.revision = max(state.revision, highest)
    }
    self.last = last
    let list = runs.filter { RunID($0) != nil }.map { "'\($0)'" }.joined(separator: ", ")
    let ofRuns = "(SELECT id FROM run WHERE uuid IN (\(list)))"
    func part(_ table: String, _ condition: String? = nil) -> Part {
      let also = condition.map { "OR \($0)" } ?? ""
      return Part(
        table: table,
        sql: """
          SELECT DISTINCT revision FROM \(table) WHERE revision <= ?2 AND (revision > ?1 \(also))
          ORDER BY revision LIMIT ?3
          """)
    }
    tables = [
      part("run", "id IN \(ofRuns)"), part("target", "run_id IN \(ofRuns)"),
      part("sample", "id >> \(SampleID.sequenceBits) IN (SELECT id FROM target WHERE run_id IN \(ofRuns))"),
      part("finding", "run_id IN \(ofRuns)"),
    ]
    if list.isEmpty { tables = ["run", "target", "sample", "finding"].map { part($0) } }
    tables += ["receipt", "event", "log", "path", "tombstone"].map { part($0) }
  }

  /// Changes some rows.
  /// - Returns: whether there are more.
  /// - Throws: ``StoreError``. The step changed nothing.
  public mutating func step(atMost limit: Int = 1_000) throws -> Bool {
    guard let part = tables.first else { return false }
    var count = 0
    try store.transaction { [common, last] db, state in
      let select = try RawStatement(db, part.sql)
      select.bind(common, at: 1)
      select.bind(last, at: 2)
      select.bind(limit, at: 3)
      var revisions: [Int64] = []
      while try select.step() { revisions.append(select.integer(0)) }
      count = revisions.count
      let update = try RawStatement(db, "UPDATE \(part.table) SET revision = ?1 WHERE revision = ?2")
      for revision in revisions {
        state.revision += 1
        update.bind(state.revision, at: 1)
        update.bind(revision, at: 2)
        try update.run()
      }
    }
    if count < limit { tables.removeFirst() }
    return !tables.isEmpty
  }
}
