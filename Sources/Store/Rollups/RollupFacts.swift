import GRDB
import Measurement

/// What a rollup takes of one notification.
struct RollupFacts {
  /// Of planned time, since 1970.
  var second: Int64
  var target: TargetID
  var variant: VariantID
  var standing: SampleStanding
  /// Latencies in µs.
  var service: Int64?
  var accept: Int64?
  var delivery: Int64?

  init(_ sample: Sample) {
    second = RollupSpan.second(of: sample.plannedAt)
    target = sample.id.target
    variant = sample.variant
    standing = SampleStanding(sample)
    accept = sample.acceptLatency
    service = accept == nil ? nil : sample.serviceTime
    delivery = sample.deliveryLatency
  }

  /// What ``init(from:)`` reads, in its order.
  static let columns = """
    id, planned_at, variant_id, state, schedule_lag_us IS NOT NULL, service_us, accept_us, delivery_us
    """

  @inline(__always)
  init(from row: RawStatement) {
    target = SampleID(rawValue: row.integer(0)).target
    second = RollupSpan.second(of: WallTime(microseconds: row.integer(1)))
    variant = VariantID(rawValue: row.integer(2))
    accept = row.optionalInteger(6)
    standing = SampleStanding(
      state: NotificationState(rawValue: Int(row.integer(3))) ?? .planned, isSent: row.integer(4) != 0,
      isAccepted: accept != nil)
    service = accept == nil ? nil : row.optionalInteger(5)
    delivery = row.optionalInteger(7)
  }

  /// The same notification with another state.
  func standing(_ standing: SampleStanding) -> RollupFacts {
    var facts = self
    facts.standing = standing
    return facts
  }

  /// As the row stands now; `nil` when there is none.
  static func stored(_ id: SampleID, _ db: Database) throws -> RollupFacts? {
    let statement = try RawStatement(db, "SELECT \(columns) FROM sample WHERE id = ?1")
    statement.bind(id.rawValue, at: 1)
    defer { statement.reset() }
    return try statement.step() ? RollupFacts(from: statement) : nil
  }
}
