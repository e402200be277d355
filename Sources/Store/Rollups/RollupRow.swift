import Measurement

/// Counts and latencies of the notifications of one target and variant that were planned in one span of time.
public struct RollupRow: Sendable, Equatable {
  /// A multiple of the span since 1970.
  public var start: WallTime
  public var span: RollupSpan
  public var target: TargetID
  public var variant: VariantID
  public var counts: StateCounts
  private let service: PackedLatencies
  private let accept: PackedLatencies
  private let deliveries: RangedLatencies<PackedLatencies>
  private let shown: RangedLatencies<PackedLatencies>
  private let path: PackedLatencies

  init(key: RollupKey, content: RollupContent) {
    start = WallTime(seconds: key.start)
    span = key.span
    target = key.target
    variant = key.variant
    counts = content.counts
    service = content.figures[.service]
    accept = content.figures[.accept]
    deliveries = content.ranged(.delivery)
    shown = content.ranged(.shown)
    path = content.figures[.path]
  }

  /// The end of the span, excluded.
  public var end: WallTime { start.advanced(byMicroseconds: span.microseconds) }

  /// The latencies as bucket counts of a ``LatencyHistogram``; `nil` when there are none, or they were not read.
  public func histogram(of metric: Metric) -> PackedLatencies? {
    let packed =
      switch metric {
      case .service: service
      case .accept: accept
      case .delivery: deliveries.values
      case .shown: shown.values
      case .path: path
      }
    return packed.isEmpty ? nil : packed
  }

  /// The same with the ranges of latencies that are not exact.
  public func ranged(_ metric: Metric) -> RangedLatencies<PackedLatencies>? {
    switch metric {
    case .delivery where !deliveries.isExact: deliveries
    case .shown where !shown.isExact: shown
    default: histogram(of: metric).map { RangedLatencies($0) }
    }
  }
}

/// The result of reading rollups.
public struct RollupPage: Sendable, Equatable {
  /// Ascending by start, then target, then variant; none where nothing was planned. Spans do not overlap; those at the
  /// ends may be finer than the requested one.
  public var rows: ContiguousArray<RollupRow>
  /// The requested start, rounded up to a whole second.
  public var coveredFrom: WallTime
  /// The rows are complete from ``coveredFrom`` up to here. Equals ``coveredFrom`` when nothing is rolled up.
  public var coveredTo: WallTime
  /// Whether the limit was reached: there is more from ``coveredTo`` on.
  public var isTruncated: Bool
  /// The store's revision at the read.
  public var revision: Int64

  public init(
    rows: ContiguousArray<RollupRow>, coveredFrom: WallTime, coveredTo: WallTime, isTruncated: Bool,
    revision: Int64
  ) {
    (self.rows, self.coveredFrom, self.coveredTo) = (rows, coveredFrom, coveredTo)
    (self.isTruncated, self.revision) = (isTruncated, revision)
  }
}

/// The sum of the rollups of one target and variant in a range of planned time.
public struct RollupTotal: Sendable, RollupFigures {
  public let variant: VariantID
  public private(set) var counts = StateCounts()
  private var sideCounts = RollupSideCounts()
  private var figures = PerFigure(LatencyCounts())

  init(variant: VariantID) { self.variant = variant }

  /// Receipts after the first.
  public var duplicates: Int { sideCounts.duplicates }
  /// Received after a later sequence number.
  public var outOfOrder: Int { sideCounts.outOfOrder }
  /// Requests that opened a connection.
  public var freshConnections: Int { sideCounts.freshConnections }

  /// The values of an interval as bucket counts of a ``LatencyHistogram``.
  public func latencies(of figure: RollupFigure) -> PackedLatencies { figures[figure].packed }

  mutating func add(_ content: RollupContent) {
    counts += content.counts
    sideCounts += content.sideCounts
    for figure in RollupFigure.allCases where !content.figures[figure].isEmpty {
      figures[figure].add(content.figures[figure])
    }
  }
}

/// The sums of a target's rollups in a range of planned time.
public struct RollupTotals: Sendable {
  /// One for each variant that has notifications, in the order of their ids.
  public let variants: [RollupTotal]
  /// The range that is summed, in whole seconds inside the requested one, the end excluded. The rest has to be read
  /// from the notifications.
  public let from: WallTime
  public let to: WallTime
}

extension SampleSource {
  /// Sums a target's rollups of a range of planned time, from as few as possible: hours, with minutes and seconds at the ends. Ten
  /// million notifications take some hundred.
  ///
  /// - Parameters:
  ///   - start: `nil` for the beginning of all there is.
  ///   - end: excluded; `nil` for the end of all there is.
  /// - Returns: `nil` if no part of the range is rolled up.
  /// - Throws: the error of the source.
  public func rollupTotals(
    of target: TargetID, from start: WallTime?, to end: WallTime?, figures: Set<RollupFigure>
  ) throws -> RollupTotals? {
    var totals: [VariantID: RollupTotal] = [:]
    let range = try forEachRollup(
      of: [target], plannedFrom: start, to: end, span: .hour, figures: figures
    ) { totals[$0.variant, default: RollupTotal(variant: $0.variant)].add($0) }
    return range.map { range in
      RollupTotals(
        variants: totals.values.sorted { $0.variant < $1.variant }, from: range.lowerBound,
        to: range.upperBound)
    }
  }
}
