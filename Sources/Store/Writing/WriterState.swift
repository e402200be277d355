import GRDB
import Measurement

/// What the writer remembers between transactions. All of it can be read from the database again, which is what
/// happens after a transaction that failed.
struct WriterState: Sendable {
  /// The last revision given out.
  var revision: Int64
  var standings = SampleStateCache()
  /// Row ids of runs, by their UUIDs and by their targets.
  var runRows: [RunID: Int64] = [:]
  var runRowsByTarget: [TargetID: Int64] = [:]
  /// Up to where rollups are written; `nil` until they are asked for.
  var rollupWatermarks: RollupWatermarks?

  /// GRDB must not be called any more.
  var isClosed = false

  init(revision: Int64) { self.revision = revision }

  mutating func marks(_ db: Database) throws -> RollupWatermarks {
    if let rollupWatermarks { return rollupWatermarks }
    let marks = try RollupWatermarks.fetch(db)
    rollupWatermarks = marks
    return marks
  }
}
