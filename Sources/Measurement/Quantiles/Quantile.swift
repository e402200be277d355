/// A quantile by its fraction: the value below which that share of all values lies.
public struct Quantile: Sendable, Hashable, Comparable {
  /// The share below the quantile, between 0 and 1, both excluded.
  public let fraction: Double
  /// `p50`, `p99.9`, …: its name in columns and panels.
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

  /// `p50`, `p99.9`: the name of the quantile below which this share is.
  public static func label(of fraction: Double) -> String { "p" + PercentText.givenNumber(fraction) }

  /// The quantiles of tables, ascending.
  public static let standard: [Quantile] = [.p50, .p90, .p95, .p99, .p999, .p9999]

  /// The smallest number of values with a 95 % interval inside the data.
  public var smallestCount: Int { OrderStatistics.smallestCount(for: self) }

  /// Its rank among `count` ascending values, from 1: the first with at least the fraction of all values at or below
  /// it.
  public func rank(among count: Int) -> Int {
    // 0.9 * 10 is a little more than 9 in binary: allow for the rounding error.
    let exact = fraction * Double(count)
    let rank = Int((exact - exact.ulp * 4).rounded(.up))
    return min(max(1, rank), max(1, count))
  }

  public static func < (a: Self, b: Self) -> Bool { a.fraction < b.fraction }
}

/// An estimate of a quantile: a value with its 95 % confidence interval, or that there are too few values for one.
public enum QuantileEstimate: Sendable, Hashable {
  /// µs, all three.
  case known(value: Int64, low: Int64, high: Int64)
  /// "n too small (needs 368)".
  case tooFew(needs: Int)
}

/// Quantiles of values that are all in memory.
public struct ExactQuantiles: Sendable {
  private let sorted: [Int64]

  /// - Parameter values: µs, in any order.
  public init(_ values: [Int64]) { sorted = values.sorted() }

  public var count: Int { sorted.count }

  /// The value at a quantile's rank, µs; `nil` without values.
  public func value(_ quantile: Quantile) -> Int64? {
    sorted.isEmpty ? nil : sorted[quantile.rank(among: count) - 1]
  }

  /// The quantile with its 95 % interval.
  public func estimate(_ quantile: Quantile) -> QuantileEstimate {
    guard let ranks = OrderStatistics.ranks(count: count, quantile: quantile) else {
      return .tooFew(needs: quantile.smallestCount)
    }
    return .known(
      value: sorted[quantile.rank(among: count) - 1], low: sorted[ranks.lowerBound - 1],
      high: sorted[ranks.upperBound - 1])
  }
}

/// How many of all planned notifications a figure is about. Notifications that were lost, failed or missed have no
/// latency and are in no quantile, so every quantile is shown with this share.
public struct ShareOfPlanned: Sendable, Hashable {
  /// Notifications with a value.
  public var counted: Int
  /// All that were planned.
  public var planned: Int
  /// Those of them that are not due yet, which are in no share.
  public var stillToBeSent: Int

  public init(counted: Int, planned: Int, stillToBeSent: Int = 0) {
    self.counted = counted
    self.planned = planned
    self.stillToBeSent = stillToBeSent
  }

  /// Those that are due: the denominator.
  public var due: Int { planned - stillToBeSent }

  /// The share between 0 and 1; `nil` when nothing was due.
  public var fraction: Double? { due > 0 ? Double(counted) / Double(due) : nil }
}
