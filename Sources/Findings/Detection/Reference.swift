import Glibc

/// What a series does when nothing is the matter: levels at its quantiles, the shares above them and how far shares of
/// windows vary.
struct Reference: Sendable, Hashable, Codable {
  static let quantiles = [0.5, 0.9, 0.99]

  /// Values of a latency; notifications of a share.
  var count = 0
  /// Of a share.
  var events = 0
  /// Per quantile: the level, above which the share `shares` lies.
  var levels: [Int] = []
  var shares: [Double] = []
  /// Levels that a change must pass: the smallest effect and the instrument's floor away.
  var upper: [Int] = []
  var lower: [Int] = []
  /// Design effects by quantile (one for a share) and scale.
  var effects: [[Double]] = []

  /// Of a latency.
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
      let edge = LogScale.edge(level + 1)
      let up = Int((log(edge * (1 + effect) + Double(floor)) / LogScale.step - 1e-9).rounded(.up)) - 1
      let down =
        Int((log(max(1, edge / (1 + effect) - Double(floor))) / LogScale.step + 1e-9).rounded(.down)) - 1
      upper.append(min(up, LogScale.levels - 2))
      lower.append(max(0, down))
    }
  }

  /// Of a share.
  init(events: Int, count: Int, effect: Double) {
    self.count = count
    self.events = events
    let share = Double(events) / Double(max(1, count))
    shares = [min(0.99, share + effect)]
    levels = [0]
    upper = [0]
    lower = [0]
  }

  /// The probabilities of the cells between the levels, least latencies first; of a share those of not having and having
  /// the property.
  func cells(isShare: Bool) -> [Double] {
    if isShare {
      let share = max(Double(events), 0.5) / Double(max(1, count))
      return [1 - share, share]
    }
    let ends = [1.0] + shares + [0]
    let parts = zip(ends, ends.dropFirst()).map { max($0 - $1, 1e-4) }
    let sum = parts.reduce(0, +)
    return parts.map { $0 / sum }
  }

  /// Design effects of windows by scale, from sums of surpluses over that many bins about the reference's own share;
  /// they never fall with the scale and at most double from one to the next. A scale with fewer than 12 stretches
  /// continues the last ratio.
  static func designEffects(above: [Int], counts: [Int], share: Double, scales: [Int]) -> [Double] {
    let mean = Double(counts.reduce(0, +)) / Double(max(1, counts.count))
    let base = share * (1 - share) * mean
    var surpluses = zip(above, counts).map { Double($0) - Double($1) * share }
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

  /// Of two binomials, k of n and kr of nr: nats by which different shares explain them better than one.
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

  /// The signed root of twice that, as a z value: positive when the first share is larger.
  static func signedRoot(_ k: Double, _ n: Double, _ kr: Double, _ nr: Double) -> Double {
    guard n > 0, nr > 0 else { return 0 }
    let root = (2 * twoShares(k, n, kr, nr)).squareRoot()
    return k * nr >= kr * n ? root : -root
  }
}
