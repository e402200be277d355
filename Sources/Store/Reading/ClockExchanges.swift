import GRDB
import Measurement

extension CollectorStore {
  /// The clock exchanges with devices in one boot of this host, oldest first, with which a restarted collector begins.
  ///
  /// - Parameters:
  ///   - reach: the largest age, by our clock's stamp.
  ///   - limit: the largest number; the newest are returned.
  /// - Throws: ``StoreError``.
  public func clockExchanges(
    ofBoot bootID: String, within reach: Duration, limit: Int = 65_536
  ) throws -> [DeviceExchange] {
    let oldest = clock.monotonicNow().nanoseconds - reach.nanoseconds
    return try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT \(DeviceExchange.columns) FROM clock_exchange
          WHERE run_id IN (SELECT id FROM run WHERE boot_id = ?) AND t2_monotonic_ns >= ?
            AND host_slept_us IS NOT NULL
          ORDER BY revision DESC LIMIT ?
          """,
        arguments: [bootID, oldest, limit]
      ).reversed().compactMap(DeviceExchange.init(row:))
    }
  }
}

extension CollectorStore {
  /// The latest time that earlier runs can have reported to devices: the time of day at a run's start advanced by the
  /// monotonic clock, up to now on the same boot and to its last heartbeat otherwise. Later than now if the wall clock
  /// was set back.
  ///
  /// - Returns: `nil` when there were no runs.
  /// - Throws: ``StoreError``.
  public func latestTimeShown(bootID: String) throws -> WallTime? {
    let now = clock.monotonicNow().microseconds
    return try read { db in
      try Int64.fetchOne(
        db,
        sql: """
          SELECT max(r.started_at - r.started_monotonic_us
            + CASE r.boot_id WHEN ?1 THEN ?2 ELSE max(r.started_monotonic_us, ifnull(h.monotonic_us, 0)) END)
          FROM run r LEFT JOIN heartbeat h ON h.run_id = r.id
          """,
        arguments: [bootID, now]
      ).map(WallTime.init(microseconds:))
    }
  }
}

extension DeviceExchange {
  /// The columns that ``init(row:)`` reads, in its order.
  static let columns =
    "device, boot_id, t1_ns, t2_monotonic_ns, t3_monotonic_ns, t4_ns, ifnull(host_slept_us, 0)"

  init?(row: Row) throws {
    guard
      let exchange = ClockExchange(
        t1: try row.value(2), t2: MonotonicTime(nanoseconds: try row.value(3)),
        t3: MonotonicTime(nanoseconds: try row.value(4)), t4: try row.value(5)
      )
    else { return nil }
    self.init(
      device: try row.value(0), bootID: try row.optional(1), exchange: exchange,
      hostSlept: .microseconds(try row.value(6) as Int64))
  }
}
