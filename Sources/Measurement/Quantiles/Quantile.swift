/// A quantile by its fraction: the value below which that share of all values lies.
public struct Quantile: Sendable, Hashable, Comparable {
  /// Between 0 and 1, both excluded.
  public let fraction: Double
  /// `p50`, `p99.9`, …: what columns and panels call it.
  public let label: String

  /// - Returns: `nil` when the fraction is not between 0 and 1.
  public init?(fraction: Double, label: String) {
    guard fraction > 0, fraction < 1 else { return nil }
    self.init(known: fraction, label)
  }

  private init(known fraction: Double, _ label: String) {
    self.fraction = fraction
    self.label = label
  }

  public static let p50 = Quantile(known: 0.5, "p50")
  public static let p90 = Quantile(known: 0.9, "p90")
  public static let p95 = Quantile(known: 0.95, "p95")
  public static let p99 = Quantile(known: 0.99, "p99")
  public static let p999 = Quantile(known: 0.999, "p99.9")
  public static let p9999 = Quantile(known: 0.9999, "p99.99")

  /// Those that tables show, ascending.
  public static let standard: [Quantile] = [.p50, .p90, .p95, .p99, .p999, .p9999]

  /// How many values it takes for a 95 % interval that lies inside the data.
  public var smallestCount: Int { OrderStatistics.smallestCount(for: self) }

  /// The rank of the value that stands for it among `count` ascending values, from 1: the first that has at least
  /// the fraction of all values at or below it.
  public func rank(among count: Int) -> Int {
    // 0.9 * 10 is a little more than 9 in binary: what is whole but for that is taken as whole.
    let exact = fraction * Double(count)
    let rank = Int((exact - exact.ulp * 4).rounded(.up))
    return min(max(1, rank), max(1, count))
  }

  public static func < (a: Self, b: Self) -> Bool { a.fraction < b.fraction }
}
