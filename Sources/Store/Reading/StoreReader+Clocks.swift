import GRDB
import Measurement

extension StoreReader {
  /// What devices told of their clocks in a run, as it came in: from these exchanges every bound can be computed again.
  ///
  /// - Throws: ``StoreError``.
  public func clockExchanges(of run: RunID, limit: Int = 100_000) throws -> [DeviceExchange] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT \(DeviceExchange.columns) FROM clock_exchange
          WHERE run_id = (SELECT id FROM run WHERE uuid = ?) ORDER BY revision LIMIT ?
          """,
        arguments: [run.description, limit]
      ).compactMap(DeviceExchange.init(row:))
    }
  }
}
