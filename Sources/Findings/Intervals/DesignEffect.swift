import Glibc
import Measurement

/// The design effect of dependence: how many times larger the variance of a share is than that of independent probes
/// (Kish, 1965). Divided by it, a count is an effective count.
enum DesignEffect {
  /// The smallest design effect that an observed ratio of variances leaves plausible.
  ///
  /// Half a standard deviation of the ratio's noise is taken off; what remains is widened for the degrees of freedom
  /// of its estimate, as a t interval is.
  ///
  /// - Parameters:
  ///   - ratio: observed variance over that of independent values.
  ///   - blocks: how many blocks the variance comes from; it has 2 (blocks − 1) / 3 degrees of freedom.
  static func shrunk(_ ratio: Double, blocks: Int) -> Double { Shrinkage(blocks: blocks).apply(ratio) }

  /// ``shrunk(_:blocks:)`` for many ratios of one number of blocks.
  struct Shrinkage {
    private let noise: Double
    private let widening: Double

    init(blocks: Int) {
      let degrees = max(2 * Double(blocks - 1) / 3, 1.0 / 3)
      noise = 0.5 * (2 / degrees).squareRoot()
      let t = SpecialFunctions.studentPoint(degrees) / SpecialFunctions.normalPoint
      widening = t * t
    }

    func apply(_ ratio: Double) -> Double { 1 + max(0, ratio - 1 - noise) * widening }
  }

  /// The design effect of shares of consecutive blocks, the greatest over blocks of one, two, four and eight of the
  /// finest; blocks without a value are left out.
  ///
  /// - Parameters:
  ///   - below: per finest block, how many of its values are counted.
  ///   - counts: per finest block, how many values it has.
  static func ofBlocks(_ below: [Double], of counts: [Double]) -> Double {
    let n = counts.reduce(0, +)
    let share = n > 0 ? below.reduce(0, +) / n : 0
    guard share > 0, share < 1 else { return 1 }
    var worst = 1.0
    for group in BlockPlan.groups {
      var surpluses: [Double] = []
      for start in stride(from: 0, to: counts.count, by: group) {
        let end = min(start + group, counts.count)
        let count = counts[start..<end].reduce(0, +)
        guard count > 0 else { continue }
        surpluses.append(below[start..<end].reduce(0, +) - count * share)
      }
      worst = max(worst, ofSurpluses(surpluses, count: n, share: share))
    }
    return worst
  }

  /// The design effect from differences of successive blocks' surpluses over the overall share: slow cycles cancel.
  static func ofSurpluses(_ surpluses: [Double], count: Double, share: Double) -> Double {
    let blocks = surpluses.count
    guard blocks >= fewestBlocks else { return max(1, count / Double(max(1, blocks))) }
    var sum = 0.0
    for (one, next) in zip(surpluses, surpluses.dropFirst()) { sum += (next - one) * (next - one) }
    let variance = Double(blocks) / Double(blocks - 1) * sum / 2
    return shrunk(variance / (count * share * (1 - share)), blocks: blocks)
  }

  /// The fewest blocks that tell anything of dependence; with fewer, each block counts as one value.
  static let fewestBlocks = 4
}

/// How the time in which a series was sent is cut into blocks: twelve or more, none longer than 32 minutes, and each into
/// eight. What lasts longer than half an hour is a change to be found, not noise.
struct BlockPlan: Sendable, Hashable {
  /// Blocks are taken singly and in groups of these numbers.
  static let groups = [1, 2, 4, 8]

  private let sent: SentTime
  /// How many of the finest blocks.
  let count: Int

  init(_ sent: SentTime) {
    self.sent = sent
    let longest: Int64 = 1_920_000_000
    count = 8 * max(12, Int((sent.length + longest - 1) / longest))
  }

  /// The finest block of an instant; `nil` where the series was not sent.
  func block(of time: WallTime) -> Int? {
    sent.offset(of: time).map { Int(Double($0) / Double(sent.length) * Double(count)) }
  }
}
