import GRDB
import Measurement

/// The values of a rollup.
struct RollupContent: Equatable, RollupFigures {
  var counts = StateCounts()
  var sideCounts = RollupSideCounts()
  var figures = PerFigure(PackedLatencies(bytes: []))

  func latencies(of figure: RollupFigure) -> PackedLatencies { figures[figure] }
}

/// Counts of a rollup besides the states.
struct RollupSideCounts: Equatable, Sendable {
  /// Receipts after the first.
  var duplicates = 0
  /// Received after a later sequence number.
  var outOfOrder = 0
  /// Requests that opened a connection.
  var freshConnections = 0

  /// The counts in the order of ``columns``.
  var all: [Int] { [duplicates, outOfOrder, freshConnections] }

  static let columns = "duplicates, out_of_order, fresh_connections"
  static let columnCount: Int32 = 3

  static func += (sum: inout Self, other: Self) { sum.add(other, 1) }

  /// Adds, or subtracts with a negative count.
  mutating func add(_ other: Self, _ count: Int) {
    duplicates &+= other.duplicates &* count
    outOfOrder &+= other.outOfOrder &* count
    freshConnections &+= other.freshConnections &* count
  }
}

/// The values that one notification adds to a rollup.
struct RollupContribution {
  /// The planned second since 1970.
  var second: Int64
  var target: TargetID
  var variant: VariantID
  var flags: SampleStateFlags
  var sideCounts: RollupSideCounts
  /// Intervals in µs.
  private(set) var figures: PerFigure<Int64?>

  init(_ sample: Sample) {
    second = sample.plannedAt.seconds
    target = sample.id.target
    variant = sample.variant
    flags = SampleStateFlags(sample)
    sideCounts = RollupSideCounts(
      duplicates: sample.duplicates, outOfOrder: sample.isOutOfOrder ? 1 : 0,
      freshConnections: sample.connection?.isFresh == true ? 1 : 0)
    figures = Self.figures(
      lag: sample.scheduleLag, service: sample.serviceTime, accept: sample.acceptLatency,
      delivery: sample.deliveryLatency, error: sample.deliveryError, range: sample.deliveryRange,
      shown: sample.shownLatency, isDisplayExpected: flags.display != nil, path: sample.path,
      isFresh: sideCounts.freshConnections > 0)
  }

  /// The columns that ``init(from:)`` reads, in its order.
  static let columns = """
    id, planned_at, variant_id, state, schedule_lag_us, service_us, accept_us, delivery_us, delivery_error_us, \
    duplicates, out_of_order, fresh_connection, delivery_high_us, path_us, shown_us, display
    """

  @inline(__always)
  init(from row: RawStatement) {
    target = SampleID(rawValue: row.integer(0)).target
    second = WallTime(microseconds: row.integer(1)).seconds
    variant = VariantID(rawValue: row.integer(2))
    let lag = row.optionalInteger(4)
    let accept = row.optionalInteger(6)
    flags = SampleStateFlags(
      state: NotificationState(rawValue: Int(row.integer(3))) ?? .planned, isSent: lag != nil,
      isAccepted: accept != nil, display: row.optionalInteger(15).flatMap { DisplayState(rawValue: Int($0)) })
    sideCounts = RollupSideCounts(
      duplicates: Int(row.integer(9)), outOfOrder: row.integer(10) != 0 ? 1 : 0,
      freshConnections: row.integer(11) != 0 ? 1 : 0)
    let delivery = row.optionalInteger(7)
    let error = row.optionalInteger(8)
    figures = Self.figures(
      lag: lag, service: row.optionalInteger(5), accept: accept, delivery: delivery, error: error,
      range: delivery.map { DeliveryRange(latency: $0, error: error, high: row.optionalInteger(12)) },
      shown: row.optionalInteger(14), isDisplayExpected: flags.display != nil, path: row.optionalInteger(13),
      isFresh: sideCounts.freshConnections > 0)
  }

  @inline(__always)
  private static func figures(
    lag: Int64?, service: Int64?, accept: Int64?, delivery: Int64?, error: Int64?,
    range: DeliveryRange?, shown: Int64?, isDisplayExpected: Bool, path: Int64?, isFresh: Bool
  ) -> PerFigure<Int64?> {
    var figures = PerFigure<Int64?>(nil)
    figures[.scheduleLag] = lag
    figures[.accept] = accept
    figures[.service] = Metric.service.value(
      service: service, accept: accept, delivery: delivery, shown: shown, path: path, absent: nil)
    figures[.delivery] = delivery
    figures[.deliveryLow] = range?.low
    figures[.deliveryHigh] = range?.high
    figures[.path] = path
    if let shown, let range, let display = Sample.displayTime(shown: shown, delivery: delivery) {
      let shownRange = range.shown(after: display)
      figures[.shown] = shown
      figures[.shownLow] = shownRange.low
      figures[.shownHigh] = shownRange.high
      // Not of those that came too late: of them nothing is expected.
      if isDisplayExpected { figures[.display] = display }
      if isFresh {
        figures[.freshShown] = shown
        figures[.freshShownLow] = shownRange.low
        figures[.freshShownHigh] = shownRange.high
      }
    }
    if isFresh {
      figures[.freshPath] = path
      figures[.freshAccept] = accept
      figures[.freshService] = figures[.service]
      figures[.freshDelivery] = delivery
      figures[.freshDeliveryLow] = range?.low
      figures[.freshDeliveryHigh] = range?.high
    }
    if let delivery {
      switch DeliveryCertainty(latency: delivery, error: error) {
      case .exact: break
      case .bounded: figures[.deliveryError] = error
      case .limit: figures[.deliveryLimit] = delivery
      }
    }
    return figures
  }

  /// The same notification in another state.
  func with(_ flags: SampleStateFlags) -> RollupContribution {
    var contribution = self
    contribution.flags = flags
    return contribution
  }

  /// The stored row; `nil` when there is none.
  static func stored(_ id: SampleID, _ db: Database) throws -> RollupContribution? {
    let statement = try RawStatement(db, "SELECT \(columns) FROM sample WHERE id = ?1")
    statement.bind(id.rawValue, at: 1)
    defer { statement.reset() }
    return try statement.step() ? RollupContribution(from: statement) : nil
  }
}

/// Counts and latencies to add to a rollup, or with negative counts to remove.
struct RollupAccumulator {
  private(set) var counts = StateCounts()
  private(set) var sideCounts = RollupSideCounts()
  private(set) var figures = PerFigure(LatencyAccumulator())

  mutating func add(_ contribution: RollupContribution, _ count: Int = 1) {
    counts.add(contribution.flags, count)
    sideCounts.add(contribution.sideCounts, count)
    for figure in RollupFigure.allCases {
      if let value = contribution.figures[figure] { figures[figure].add(value, count: count) }
    }
  }

  /// Replaces a notification's values. Equal ones are skipped: most late changes only add a delivery.
  mutating func move(from old: RollupContribution, to new: RollupContribution) {
    counts.add(old.flags, -1)
    counts.add(new.flags)
    sideCounts.add(old.sideCounts, -1)
    sideCounts += new.sideCounts
    for figure in RollupFigure.allCases where old.figures[figure] != new.figures[figure] {
      if let value = old.figures[figure] { figures[figure].add(value, count: -1) }
      if let value = new.figures[figure] { figures[figure].add(value) }
    }
  }

  mutating func add(_ content: RollupContent) {
    counts += content.counts
    sideCounts += content.sideCounts
    for figure in RollupFigure.allCases where !content.figures[figure].isEmpty {
      figures[figure].add(content.figures[figure])
    }
  }

  mutating func add(_ other: RollupAccumulator) {
    counts += other.counts
    sideCounts += other.sideCounts
    for figure in RollupFigure.allCases where !other.figures[figure].isEmpty {
      figures[figure].add(other.figures[figure])
    }
  }

  /// The sum with the stored content.
  func content(over before: RollupContent) -> RollupContent {
    var content = before
    content.counts += counts
    content.sideCounts += sideCounts
    for figure in RollupFigure.allCases where !figures[figure].isEmpty {
      var sum = figures[figure]
      sum.add(before.figures[figure])
      content.figures[figure] = sum.packed
    }
    return content
  }
}
