import Glibc

/// What a series does when nothing is the matter: levels at its quantiles, the shares above them and how far shares of
/// windows vary.
struct Reference: Sendable, Hashable, Codable {
  static let quantiles = [0.5, 0.9, 0.99]

  /// Values of a latency; notifications of a share.
  var count = 0
  /// The number of notifications with the property of a share.
  var events = 0
  /// Whether a latency's reference is so short that the values beyond a level say little, since it may not have seen
  /// how far the series wanders. Medians are compared with its own median then.
  var isYoung = false
  /// The level of each quantile; `shares` has the share of values above it.
  var levels: [Int] = []
  var shares: [Double] = []
  /// Levels that a change must pass: the smallest effect and the instrument's floor away.
  var upper: [Int] = []
  var lower: [Int] = []
  /// Design effects by quantile (one for a share) and scale.
  var effects: [[Double]] = []
  /// The levels at ``outlineShares`` of a latency's values, ascending, and how many bins the reference was taken from: what a
  /// changed series would do is computed from them. `nil` in a checkpoint of an earlier version.
  var outline: [Int]?
  var bins: Int?
  /// What lies beyond the median's levels, upward and downward, and far above p99; of a share one, of what has the property.
  var beyond: [Beyond] = []

  /// What a reference has beyond a level that a change must pass. Of a quiet series that is little, so that a few values beyond it
  /// say much, and how little depends on no wander about the median.
  struct Beyond: Sendable, Hashable, Codable {
    var level: Int
    var count: Int
    /// Design effects by scale.
    var effects: [Double] = []
    /// The cells in which a change that passes the level is followed.
    var cells: ChangeCells

    /// The share that is usual beyond the level; never nothing, since a reference is finite.
    func share(of count: Int) -> Double { (Double(self.count) + 0.5) / (Double(count) + 1) }
  }

  /// Creates the reference of a latency.
  init(histogram: [Int], effect: Double, floor: Int64) {
    count = histogram.reduce(0, +)
    var seen = 0
    var level = 0
    for quantile in Self.quantiles {
      while level < histogram.count - 2, Double(seen + histogram[level]) < quantile * Double(count) {
        seen += histogram[level]
        level += 1
      }
      levels.append(level)
      shares.append(1 - Double(seen + histogram[level]) / Double(max(1, count)))
      let usual = LogScale.middle(level)
      let up = Int((log(usual * (1 + effect) + Double(floor)) / LogScale.step - 1e-9).rounded(.up)) - 1
      let down =
        Int((log(max(1, usual / (1 + effect) - Double(floor))) / LogScale.step + 1e-9).rounded(.down)) - 1
      upper.append(min(up, LogScale.levels - 2))
      lower.append(max(0, down))
    }
    outline = Self.outline(histogram, count: count)
    let total = count
    func above(_ level: Int) -> Int { total - histogram[...level].reduce(0, +) }
    let far = upper[2] + Int(log(1.5) / LogScale.step)
    let near = lower[0] - Int(log(1.25) / LogScale.step)
    let tail = levels + [upper[2], far].filter { $0 < LogScale.levels - 1 }
    let slower = [upper[0], levels[1], levels[2], far].filter { $0 >= upper[0] && $0 < LogScale.levels - 1 }
    let faster = [near, lower[0]].filter { $0 >= 0 }
    beyond = [
      Beyond(
        level: upper[0], count: above(upper[0]), cells: ChangeCells(slower, count: count, above: above)),
      Beyond(
        level: lower[0], count: total - above(lower[0]),
        cells: ChangeCells(faster, count: count, above: above)),
      Beyond(
        level: min(far, LogScale.levels - 2), count: above(min(far, LogScale.levels - 2)),
        cells: ChangeCells(tail, count: count, least: 3e-4, above: above)),
    ]
  }

  static let outlineShares = [
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7,
    0.75, 0.8, 0.85,
    0.9, 0.925, 0.95, 0.975, 0.99, 0.995, 0.999,
  ]

  private static func outline(_ histogram: [Int], count: Int) -> [Int] {
    var (level, seen) = (0, 0)
    return outlineShares.map { share in
      while level < histogram.count - 1, Double(seen + histogram[level]) < share * Double(count) {
        seen += histogram[level]
        level += 1
      }
      return level
    }
  }

  /// The share of a latency's values above a level, which may lie between two: those of a level are spread evenly over it.
  func shareAbove(level: Double) -> Double {
    guard let outline, let first = outline.first, let last = outline.last else { return 0 }
    guard level > Double(first - 1) else { return 1 }
    guard level < Double(last) else {
      return level < Double(last) + 1 ? 1 - Self.outlineShares[outline.count - 1] : 0
    }
    // Knots are the last of several shares at one level, and nothing before the first level.
    let next = outline.firstIndex { Double($0) > level } ?? outline.count - 1
    let to = outline.lastIndex { $0 == outline[next] } ?? next
    let low = next > 0 ? outline[next - 1] : first - 1
    let from = next > 0 ? Self.outlineShares[next - 1] : 0
    let part = (level - Double(low)) / Double(outline[next] - low)
    return 1 - (from + (Self.outlineShares[to] - from) * part)
  }

  /// Creates the reference of a share.
  init(events: Int, count: Int, effect: Double) {
    self.count = count
    self.events = events
    let share = Double(events) / Double(max(1, count))
    shares = [min(0.99, share + effect)]
    levels = [0]
    upper = [0]
    lower = [0]
    beyond = [Beyond(level: 0, count: events, cells: ChangeCells(shareOf: events, of: count))]
  }

  /// Values a second.
  ///
  /// - Parameter binWidth: µs.
  func rate(binWidth: Int64) -> Double {
    Double(count) / Double(max(1, bins ?? 1)) / (Double(binWidth) / 1e6)
  }

  /// Whether its design effects are known at every quantile.
  var isWhole: Bool { effects.count == levels.count || levels == [0] }

  /// Adopts the design effects of one that is little older.
  mutating func adoptEffects(of other: Reference) {
    effects = other.effects
    for index in beyond.indices { beyond[index].effects = other.beyond[index].effects }
  }

  /// The share above the level of a quantile, as if the values of one level were spread over it: of a tight series all are
  /// of one level.
  func shareAbove(quantile: Int) -> Double {
    let usual = 1 - Self.quantiles[quantile]
    return shares[quantile] < usual / 2 && Double(count) * usual >= 1 ? usual : shares[quantile]
  }

  /// The cells in which a change at a quantile is followed: where what is beyond the level it passed differs from the
  /// reference, or between the levels of the reference's own quantiles.
  func cells(quantile: Int, isDown: Bool) -> ChangeCells {
    if quantile == 0 { return beyond[isDown ? 1 : 0].cells }
    if quantile == 2, !isDown { return beyond[2].cells }
    return ChangeCells(levels: levels, above: shares)
  }

  /// Design effects of a change at a quantile, by scale.
  func effects(quantile: Int, isDown: Bool) -> [Double] {
    quantile == 0 ? beyond[isDown ? 1 : 0].effects : effects[quantile]
  }

  /// Design effects of windows by scale, from sums of surpluses over that many bins about the reference's own share;
  /// they never fall with the scale and at most double from one to the next. A scale with fewer than 12 stretches
  /// continues the last ratio.
  ///
  /// - Parameters:
  ///   - above: the first of them has the place `first`, each later one is `step` further.
  static func designEffects(
    above: [Int], from first: Int = 0, by step: Int = 1, counts: [Int], share: Double, scales: [Int]
  ) -> [Double] {
    let mean = Double(counts.reduce(0, +)) / Double(max(1, counts.count))
    let base = share * (1 - share) * mean
    var surpluses = counts.indices.map { Double(above[first + $0 * step]) - Double(counts[$0]) * share }
    var result: [Double] = []
    var previous = 1.0
    var ratio = 1.0
    for (index, scale) in scales.enumerated() {
      if index > 0 {
        // Each scale is twice the one before.
        let half = surpluses.count / 2
        for place in 0..<half { surpluses[place] = surpluses[2 * place] + surpluses[2 * place + 1] }
        surpluses.removeLast(surpluses.count - half)
      }
      var effect: Double
      if surpluses.count >= 12, base > 0 {
        let variance = surpluses.reduce(0) { $0 + $1 * $1 } / Double(surpluses.count)
        let ratio = variance / (base * Double(scale))
        effect = max(DesignEffect.shrunk(ratio, blocks: surpluses.count), previous)
        if index > 0 { effect = min(effect, 2 * previous) }
      } else {
        effect = previous * min(max(1, ratio), 2)
      }
      ratio = effect / previous
      previous = effect
      result.append(effect)
    }
    return result
  }
}

/// Log likelihood ratios.
enum Likelihood {
  /// x ln x, 0 at 0.
  @inline(__always)
  static func xlogx(_ x: Double) -> Double { x > 0 ? x * log(x) : 0 }

  /// The nats by which two different shares explain two binomials, k of n and kr of nr, better than one common share.
  static func twoShares(_ k: Double, _ n: Double, _ kr: Double, _ nr: Double) -> Double {
    func both(_ k: Double, _ n: Double) -> Double { xlogx(k) + xlogx(max(0, n - k)) - xlogx(n) }
    return max(0, both(k, n) + both(kr, nr) - both(k + kr, n + nr))
  }

  /// Never less than ``twoShares(_:_:_:_:)``, without a logarithm: Pearson's χ², since the Kullback–Leibler divergence of two
  /// binomials is never more than their χ² divergence.
  @inline(__always)
  static func twoSharesBound(_ k: Double, _ n: Double, _ kr: Double, _ nr: Double) -> Double {
    let share = (k + kr) / (n + nr)
    let difference = k / n - kr / nr
    return difference * difference * n * nr / ((n + nr) * share * (1 - share))
  }

  /// The probability of k or more of n, where each of them has the share: by the signed root of twice the nats between the two
  /// (Zubkov and Serov, 2013), which is near the binomial's own also where few are expected.
  ///
  /// - Parameter effect: the design effect of the count.
  static func probability(atLeast k: Double, of n: Double, share: Double, effect: Double) -> Double {
    guard k <= n + 1e-9, share > 0 else { return k <= 0 ? 1 : 0 }
    guard share < 1 else { return 1 }
    // Between k − 1 and k, at the middle of the bounds.
    let seen = min(max((k - 0.5) / n, 0), 1)
    let nats = n * (xlogx(seen) + xlogx(1 - seen) - seen * log(share) - (1 - seen) * log(1 - share)) / effect
    let root = max(0, 2 * nats).squareRoot()
    return 0.5 * erfc((share > seen ? -root : root) / 2.0.squareRoot())
  }

  /// The signed root of twice that, as a z value: positive when the first share is larger.
  static func signedRoot(_ k: Double, _ n: Double, _ kr: Double, _ nr: Double) -> Double {
    guard n > 0, nr > 0 else { return 0 }
    let root = (2 * twoShares(k, n, kr, nr)).squareRoot()
    return k * nr >= kr * n ? root : -root
  }
}
