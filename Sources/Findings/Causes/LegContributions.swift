import Glibc
import Measurement

/// How much of the change of an end-to-end quantile each leg carries (Shapley values over the legs).
///
/// Each leg of the episode is mapped by rank onto its baseline: a coalition of legs is those that keep the episode's values.
/// The values are averaged over all orders in which legs can be added, so they sum to the rise.
public struct LegContributions: Sendable, Hashable {
  /// One leg's share of the change.
  public struct Part: Sendable, Hashable {
    public var leg: Leg
    /// µs.
    public var change: Double
    /// 95 % interval, µs; `nil` until it was computed.
    public var interval: ClosedRange<Double>?
  }

  /// The latency that changed: of deliveries, or of the provider's answers.
  public var metric: SeriesMetric
  public var quantile: Double
  public var parts: [Part]
  /// The change of the end-to-end quantile, µs.
  public var total: Double
  public var totalInterval: ClosedRange<Double>?
  /// The end-to-end quantile before, µs.
  public var before: Double

  /// total / before.
  public var rise: Double { total / max(1, before) }

  /// Each leg's share of the rise; stated only where the rise is certain.
  public var shares: [Leg: Double]? {
    guard let totalInterval, totalInterval.lowerBound > 0 else { return nil }
    return Dictionary(uniqueKeysWithValues: parts.map { ($0.leg, $0.change / total) })
  }

  /// A leg's share of the rise by the point estimate alone, whether or not the rise is certain.
  func share(_ leg: Leg) -> Double {
    guard total > 0 else { return 0 }
    let part = parts.first { $0.leg == leg } ?? parts.first { $0.leg == .sentToReceived && leg != .lag }
    return (part?.change ?? 0) / max(1, total)
  }

  /// Values of the legs of delivered notifications, in order of time.
  struct Values {
    var times: [Double] = []
    /// Values of each leg.
    var legs: [[Double]]

    init(legs: Int) { self.legs = [[Double]](repeating: [], count: legs) }

    func picking(_ indices: [Int]) -> Values {
      var result = Values(legs: legs.count)
      result.times = indices.map { times[$0] }
      result.legs = legs.map { values in indices.map { values[$0] } }
      return result
    }

    var totals: [Double] { times.indices.map { index in legs.reduce(0) { $0 + $1[index] } } }
  }

  /// The contributions to the change of the delivery latency, which the rules look at.
  ///
  /// - Parameter isTail: whether the finding is at p99 alone; p99 is looked at then, where both sides have 300 values.
  /// - Returns: `nil` with fewer than 20 delivered on a side.
  init?(_ target: EpisodeTarget, _ episode: Episode, isTail: Bool) {
    let samples = Self.samples(of: target, .delivery)
    let legs = Self.legs(of: samples, .delivery)
    let (now, before) = Self.values(of: legs, samples, episode)
    guard now.times.count >= Self.fewest, before.times.count >= Self.fewest else { return nil }
    let quantiles =
      isTail && min(now.times.count, before.times.count) >= Self.fewestOfTail ? [0.99] : [0.5, 0.9]
    let candidates = quantiles.map { Self.evaluate(now, before, $0, legs, .delivery) }
    guard let first = candidates.max(by: { $0.rise < $1.rise }) else { return nil }
    self = first
  }

  /// The contributions to the change of a finding's metric and quantile, which explain its figures.
  ///
  /// - Returns: `nil` of a share, and with too few values on a side: 20, of p99 300.
  public init?(
    _ target: EpisodeTarget, _ episode: Episode, explaining metric: SeriesMetric, _ quantile: Double
  ) {
    guard metric == .delivery || metric == .accept else { return nil }
    let samples = Self.samples(of: target, metric)
    let legs = Self.legs(of: samples, metric)
    let (now, before) = Self.values(of: legs, samples, episode)
    guard min(now.times.count, before.times.count) >= (quantile > 0.9 ? Self.fewestOfTail : Self.fewest)
    else {
      return nil
    }
    self = Self.evaluate(now, before, quantile, legs, metric)
  }

  /// The fewest values on a side, and of p99.
  private static let fewest = 20
  private static let fewestOfTail = TestedQuantiles.fewestOfTail

  /// Computes the intervals: the hull of what stretches of the baseline as long as the episode show against the rest of
  /// it, and of a bootstrap of blocks of 2 minutes (or a tenth of the stretch).
  ///
  /// - Parameters:
  ///   - target: what the parts were taken of, or a sample of it.
  ///   - seed: of the bootstrap; of the finding's id, so that it can be repeated.
  public func withIntervals(_ target: EpisodeTarget, _ episode: Episode, seed: UInt64) -> LegContributions {
    // Of a sample of the notifications other legs might be chosen.
    let legs = parts.map(\.leg)
    let (now, before) = Self.values(of: legs, Self.samples(of: target, metric), episode)
    var result = self
    var rows: [[Double]] = []
    var random = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let a = Self.redraw(now, &random)
      let b = Self.redraw(before, &random)
      guard a.times.count >= 5, b.times.count >= 5 else { continue }
      let drawn = Self.evaluate(a, b, quantile, legs, metric)
      rows.append(drawn.parts.map(\.change) + [drawn.total])
    }
    guard rows.count >= 40 else { return result }
    let estimates = parts.map(\.change) + [total]
    var intervals = estimates.indices.map { column -> ClosedRange<Double> in
      let sorted = rows.map { $0[column] }.sorted()
      let last = Double(sorted.count - 1)
      let low = sorted[Int((0.025 * last).rounded())]
      let high = sorted[Int((0.975 * last).rounded())]
      return min(low, estimates[column])...max(high, estimates[column])
    }
    let placebos = Self.placebos(now, before, quantile, legs, metric)
    if placebos.count >= 6 {
      // The noise of a leg that has grown is taken to have grown with it.
      var growth: [Double] = []
      for (new, old) in zip(now.legs, before.legs) {
        let after = EpisodeStatistics.quantile(new, quantile)
        growth.append(max(1, after / max(1, EpisodeStatistics.quantile(old, quantile))))
      }
      growth.append(max(1, 1 + rise))
      let t = SpecialFunctions.studentPoint(Double(placebos.count - 1))
      for column in estimates.indices {
        let square = placebos.reduce(0) { $0 + $1[column] * $1[column] } / Double(placebos.count)
        let reach = t * (square * (1 + 1 / Double(placebos.count))).squareRoot() * growth[column]
        let (low, high) = (estimates[column] - reach, estimates[column] + reach)
        intervals[column] = min(intervals[column].lowerBound, low)...max(intervals[column].upperBound, high)
      }
    }
    for index in parts.indices { result.parts[index].interval = intervals[index] }
    result.totalInterval = intervals.last
    return result
  }

  /// The notifications that have the metric, with its legs.
  private static func samples(of target: EpisodeTarget, _ metric: SeriesMetric) -> [EpisodeSample] {
    target.samples.filter { sample in
      guard sample.lag != nil else { return false }
      return metric == .accept
        ? sample.isAccepted && sample.service != nil
        : (sample.state == .delivered || sample.state == .late) && sample.delivery != nil
    }
  }

  /// Which legs can be told apart: receipts may come before the provider's answer.
  private static func legs(of delivered: [EpisodeSample], _ metric: SeriesMetric) -> [Leg] {
    guard metric != .accept else { return [.lag, .service] }
    let early = delivered.count { sample in
      guard let delivery = sample.delivery, let lag = sample.lag, let service = sample.service else {
        return true
      }
      return delivery < lag + service
    }
    return early * 20 > delivered.count ? [.lag, .sentToReceived] : [.lag, .service, .transit]
  }

  /// The legs' values in the episode and before.
  private static func values(
    of legs: [Leg], _ samples: [EpisodeSample], _ episode: Episode
  ) -> (now: Values, before: Values) {
    var now = Values(legs: legs.count)
    var before = now
    for sample in samples {
      let row = legs.compactMap { value(of: $0, sample) }
      guard row.count == legs.count else { continue }
      let time = Double(sample.plannedAt.microseconds) / 1e6
      if episode.window.contains(sample.plannedAt) {
        now.times.append(time)
        for leg in row.indices { now.legs[leg].append(row[leg]) }
      } else if episode.baseline.contains(sample.plannedAt) {
        before.times.append(time)
        for leg in row.indices { before.legs[leg].append(row[leg]) }
      }
    }
    return (now, before)
  }

  private static func value(of leg: Leg, _ sample: EpisodeSample) -> Double? {
    guard let lag = sample.lag else { return nil }
    let value: Int64? =
      switch leg {
      case .lag: lag
      case .service: sample.service
      case .transit: sample.delivery.flatMap { end in sample.service.map { end - lag - $0 } }
      case .sentToReceived: sample.delivery.map { $0 - lag }
      case .display: sample.displayTime
      }
    return value.map(Double.init)
  }

  private static func evaluate(
    _ now: Values, _ before: Values, _ quantile: Double, _ legs: [Leg], _ metric: SeriesMetric
  ) -> LegContributions {
    let count = legs.count
    let mapped = zip(now.legs, before.legs).map(mappedByRank)
    // By coalition, as bits: the quantile with those legs as they are now.
    let values = (0..<1 << count).map { (coalition: Int) -> Double in
      var sums = [Double](repeating: 0, count: now.times.count)
      for leg in 0..<count {
        let part = coalition >> leg & 1 == 1 ? now.legs[leg] : mapped[leg]
        for index in sums.indices { sums[index] += part[index] }
      }
      return EpisodeStatistics.quantile(sums, quantile)
    }
    func factorial(_ n: Int) -> Double { n < 2 ? 1 : Double((2...n).reduce(1, *)) }
    let parts = legs.indices.map { leg -> Part in
      var change = 0.0
      for coalition in values.indices where coalition >> leg & 1 == 0 {
        let size = coalition.nonzeroBitCount
        let weight = factorial(size) * factorial(count - size - 1) / factorial(count)
        change += weight * (values[coalition | 1 << leg] - values[coalition])
      }
      return Part(leg: legs[leg], change: change)
    }
    let base = EpisodeStatistics.quantile(before.totals, quantile)
    return LegContributions(
      metric: metric, quantile: quantile, parts: parts, total: (values.last ?? 0) - base, before: base)
  }

  private init(metric: SeriesMetric, quantile: Double, parts: [Part], total: Double, before: Double) {
    self.metric = metric
    self.quantile = quantile
    self.parts = parts
    self.total = total
    self.before = before
  }

  /// The baseline's values at the same (mid) ranks.
  private static func mappedByRank(_ now: [Double], _ before: [Double]) -> [Double] {
    let sorted = before.sorted()
    var result = now
    for (rank, index) in now.indices.sorted(by: { now[$0] < now[$1] }).enumerated() {
      let place = (Double(rank) + 0.5) / Double(now.count) * Double(sorted.count) - 0.5
      let low = min(max(0, Int(place.rounded(.down))), sorted.count - 1)
      let high = min(low + 1, sorted.count - 1)
      let part = min(1, max(0, place - Double(low)))
      result[index] = sorted[low] * (1 - part) + sorted[high] * part
    }
    return result
  }

  /// Blocks drawn again in runs of two.
  private static func redraw(_ values: Values, _ random: inout SeededGenerator) -> Values {
    guard let first = values.times.first, let last = values.times.last else { return values }
    let block = max(1e-6, min(60, (last - first) / 20))
    var blocks: [[Int]] = []
    for (index, time) in values.times.enumerated() {
      let place = Int((time - first) / block)
      while blocks.count <= place { blocks.append([]) }
      blocks[place].append(index)
    }
    var indices: [Int] = []
    for _ in 0..<(blocks.count + 1) / 2 {
      let start = Int(random.unit() * Double(blocks.count))
      indices += blocks[start] + blocks[(start + 1) % blocks.count]
    }
    return values.picking(indices)
  }

  /// Stretches of the baseline as long as the episode, each against the rest of it.
  private static func placebos(
    _ now: Values, _ before: Values, _ quantile: Double, _ legs: [Leg], _ metric: SeriesMetric
  ) -> [[Double]] {
    guard let first = before.times.first, let last = before.times.last, let start = now.times.first,
      let end = now.times.last
    else { return [] }
    let length = end - start + 1
    let count = Int((last - first) / length)
    guard count >= 6 else { return [] }
    return (0..<min(count, 48)).compactMap { stretch in
      let own = before.times.indices.filter {
        min(Int((before.times[$0] - first) / length), count - 1) == stretch
      }
      guard own.count >= 5 else { return nil }
      let mine = Set(own)
      let rest = before.times.indices.filter { !mine.contains($0) }
      let placebo = evaluate(before.picking(own), before.picking(rest), quantile, legs, metric)
      return placebo.parts.map(\.change) + [placebo.total]
    }
  }
}
