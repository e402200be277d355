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
          SELECT c.device, c.boot_id, c.t1_ns, c.t2_monotonic_ns, c.t3_monotonic_ns, c.t4_ns, c.arrived_at
          FROM clock_exchange c JOIN run r ON r.id = c.run_id
          WHERE r.uuid = ? ORDER BY c.revision LIMIT ?
          """,
        arguments: [run.description, limit]
      ).compactMap { row in
        let exchange = ClockExchange(
          t1: row[2], t2: MonotonicTime(nanoseconds: row[3]), t3: MonotonicTime(nanoseconds: row[4]),
          t4: row[5])
        return exchange.map {
          DeviceExchange(
            device: row[0], bootID: row[1], exchange: $0, arrivedAt: WallTime(microseconds: row[6]))
        }
      }
    }
  }
}
