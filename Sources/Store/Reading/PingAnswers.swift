import GRDB
import Measurement

extension PingAnswer {
  /// The columns of the table `path`, beside the target's.
  public static let columns: [RecordColumn<PingAnswer>] = [
    .init("connection_id", \.connectionID), .init("at", \.at), .init("round_trip_us", \.roundTrip),
  ]

  /// An answer for the columns to be read into.
  public static func blank(of target: TargetID) -> PingAnswer {
    PingAnswer(target: target, connectionID: 0, at: WallTime(microseconds: 0), roundTrip: 0)
  }
}

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
        SELECT \(PingAnswer.columns.selectList()) FROM path x INDEXED BY path_target
        WHERE target_id = ?1 AND at >= ?2 AND at < ?3 ORDER BY at, revision
        """)
      for target in targets.sorted() {
        statement.bind(target.rawValue, at: 1)
        statement.bind(range.lowerBound.microseconds, at: 2)
        statement.bind(range.upperBound.microseconds, at: 3)
        while try statement.step() {
          if let ping = statement.record(PingAnswer.columns, from: 0, into: .blank(of: target)) { body(ping) }
        }
      }
    }
  }
}
