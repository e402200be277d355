import Analysis
import Findings
import Measurement
import Store

/// What is compared.
public struct ComparisonPlan: Sendable {
  /// `nil`: `delivery` and `accept`, where both sides have values.
  public var metrics: Set<Metric>?
  /// The shares to compare, among `lost`, `unseen`, `failed` and `refused`.
  public var shares: Set<SeriesMetric>
  public var quantiles: [Quantile]
  /// The largest change of a latency that counts as the same: 0.1 is 10 %.
  public var tolerance: Double
  /// Whether probes are taken for independent.
  public var isIndependent: Bool
  /// The keys by whose values the sides are compared, value by value; `nil` for the sides as wholes.
  public var by: BreakdownKeys?

  /// Those of the shares that the keys do not decide: by what a receipt says, what got lost is all of one value.
  public var comparedShares: Set<SeriesMetric> {
    by?.keys.contains(where: \.isReported) == true ? shares.intersection([.unseen]) : shares
  }

  /// Differences of shares of up to one point are the same.
  public static let shareTolerance = 0.01

  public init(
    metrics: Set<Metric>? = nil, shares: Set<SeriesMetric> = [.lost, .unseen, .failed, .refused],
    quantiles: [Quantile] = [.p50, .p95, .p99], tolerance: Double = 0.1, isIndependent: Bool = false
  ) {
    self.metrics = metrics
    self.shares = shares
    self.quantiles = quantiles
    self.tolerance = tolerance
    self.isIndependent = isIndependent
  }
}

/// Quantiles and shares of two runs, targets, variants or stretches of time, and how they differ.
public struct ComparisonReport: Sendable {
  struct LatencyRow: Sendable {
    let metric: Metric
    let quantile: Quantile
    let comparison: QuantileComparison
    let verdict: ComparisonVerdict
  }

  struct ShareRow: Sendable {
    let share: SeriesMetric
    let comparison: ShareComparison
    let verdict: ComparisonVerdict
  }

  /// Two series, or their notifications with the same values of the keys.
  struct Pair: Sendable {
    let first: String
    let second: String
    /// What the keys of ``ComparisonPlan/by`` have in both, in their order.
    var values: [String] = []
    /// Whether both were sent over the same time, so that what disturbed both cancels.
    let isPaired: Bool
    let settled: (first: Int, second: Int)
    let latencies: [LatencyRow]
    let shares: [ShareRow]
    /// The variants that each side takes together; empty where it is one.
    var mixed: (first: [String], second: [String]) = ([], [])
    /// Single notifications planned before are deleted, and a side begins before it; `nil` where none are missing.
    var prunedTo: WallTime?
  }

  public let first: ComparisonSide
  public let second: ComparisonSide
  public let plan: ComparisonPlan
  let pairs: [Pair]
  let onlyFirst: [String]
  let onlySecond: [String]

  /// - Throws: ``ReportError`` where nothing can be compared, `StoreError`.
  public init(
    _ first: ComparisonSide, _ second: ComparisonSide, _ plan: ComparisonPlan = ComparisonPlan(),
    in reader: any SampleSource
  ) throws {
    let matched = try ComparisonPairs(first, second)
    self.first = first
    self.second = second
    self.plan = plan
    let reading = try ComparisonReading(reader: reader, plan: plan)
    var pairs: [Pair] = []
    var (onlyFirst, onlySecond) = (matched.onlyFirst, matched.onlySecond)
    for (one, other) in matched.pairs {
      let windows = try reading.windows(one, of: first, other, of: second)
      var found: [Pair]
      if let by = plan.by {
        let divided = try reading.pairs(within: by, windows)
        found = divided.pairs
        onlyFirst += divided.onlyFirst
        onlySecond += divided.onlySecond
      } else {
        found = [try reading.pair(windows)]
      }
      for index in found.indices { found[index].mixed = (one.mixed, other.mixed) }
      pairs += found
    }
    (self.pairs, self.onlyFirst, self.onlySecond) = (pairs, onlyFirst, onlySecond)
    if plan.by != nil, pairs.isEmpty, !onlyFirst.isEmpty || !onlySecond.isEmpty {
      throw ReportError(
        .nothingInCommon,
        "no value is on both sides; only in A: \(Self.list(onlyFirst)), only in B: \(Self.list(onlySecond))",
        remedy: "give another key, or compare without --by")
    }
    for (side, count) in [(first, \(first: Int, second: Int).first), (second, \.second)]
    where pairs.allSatisfy({ $0.settled[keyPath: count] == 0 }) {
      throw ReportError(
        .nothingSettled, "nothing is settled in \(side.title)",
        remedy: "name another run or time, or wait until timeouts and receipt deadlines have passed")
    }
  }

  /// The first few of many names.
  static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : ListText.first(10, of: names, separator: "; ")
  }

  /// What `--fail-if` asks for.
  public enum Failure: String, Sendable, CaseIterable {
    /// A quantile rose.
    case slower
    /// More are lost, failed or refused.
    case lossier
  }

  /// `breached` where any figure is worse; `undecided` where one metric says nothing at all, in any of its quantiles. Where each
  /// value is compared with itself, rare values that say nothing are left out of this, unless all are.
  public func decision(_ failure: Failure) -> GateDecision {
    var groups: [[ComparisonVerdict]] = []
    for pair in pairs {
      switch failure {
      case .slower:
        for rows in Dictionary(grouping: pair.latencies, by: \.metric).values {
          groups.append(rows.map(\.verdict))
        }
      case .lossier: groups += pair.shares.map { [$0.verdict] }
      }
    }
    if groups.contains(where: { $0.contains(.higher) }) { return .breached }
    let silent = groups.count { $0.allSatisfy { $0 == .cannotTell } }
    return silent == groups.count || plan.by == nil && silent > 0 ? .undecided : .met
  }
}
