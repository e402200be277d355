import GRDB
import Measurement

extension StoreReader {
  /// Visits the answered PINGs of some targets in a range of time, by target, then in the order of their arrival. Reads an index.
  ///
  /// - Throws: ``StoreError``.
  public func forEachPing(
    of targets: [TargetID], in range: Range<WallTime>, _ body: (PingAnswer) -> Void
  ) throws {
    try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT connection_id, at, round_trip_us FROM path INDEXED BY path_target
        WHERE target_id = ?1 AND at >= ?2 AND at < ?3 ORDER BY at, revision
        """)
      for target in targets.sorted() {
        statement.bind(target.rawValue, at: 1)
        statement.bind(range.lowerBound.microseconds, at: 2)
        statement.bind(range.upperBound.microseconds, at: 3)
        while try statement.step() {
          body(
            PingAnswer(
              target: target, connectionID: statement.integer(0),
              at: WallTime(microseconds: statement.integer(1)), roundTrip: statement.integer(2)))
        }
      }
    }
  }
}
