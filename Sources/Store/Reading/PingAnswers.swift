import GRDB
import Measurement

extension StoreReader {
  /// The answered PINGs of some targets in a range of time, by target, then in the order of their arrival. Reads an index.
  ///
  /// - Throws: ``StoreError``.
  public func pings(of targets: [TargetID], in range: Range<WallTime>) throws -> [PingAnswer] {
    try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT connection_id, at, round_trip_us FROM path INDEXED BY path_target
        WHERE target_id = ?1 AND at >= ?2 AND at < ?3 ORDER BY at, revision
        """)
      var pings: [PingAnswer] = []
      for target in targets.sorted() {
        statement.bind(target.rawValue, at: 1)
        statement.bind(range.lowerBound.microseconds, at: 2)
        statement.bind(range.upperBound.microseconds, at: 3)
        while try statement.step() {
          pings.append(
            PingAnswer(
              target: target, connectionID: statement.integer(0),
              at: WallTime(microseconds: statement.integer(1)), roundTrip: statement.integer(2)))
        }
      }
      return pings
    }
  }
}
