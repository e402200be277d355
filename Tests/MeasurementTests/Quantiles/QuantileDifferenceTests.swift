import Measurement
import Testing

@Suite("Differences of quantiles") struct QuantileDifferenceTests {
  @Test("second minus first, and the ends of both intervals crossed over")
  func arithmetic() {
    let first = (1...1_000).map { Int64($0) }
    let second = first.map { $0 + 5_000 }
    guard case .known(let value, let low, let high) = QuantileDifference(.p50, from: first, to: second) else {
      Issue.record("too few")
      return
    }
    #expect(value == 5_000 && low < 5_000 && high > 5_000)
    // Both intervals have the same width, so the difference's has twice that and lies around the value.
    #expect(high - 5_000 == 5_000 - low)
    #expect(QuantileDifference(.p50, from: first, to: second).isProven)
    #expect(!QuantileDifference(.p50, from: first, to: first).isProven)
    guard case .known(_, let low, let high) = QuantileDifference(.p50, from: second, to: first) else {
      return
    }
    #expect(low < -5_000 && high > -5_000 && high < 0)
  }

  @Test("too few in either group is too few, and says how many it takes in both")
  func tooFew() {
    let many = (1...1_000).map { Int64($0) }
    let few = (1...20).map { Int64($0) }
    guard case .tooFew(let needs) = QuantileDifference(.p99, from: many, to: few) else {
      Issue.record("known")
      return
    }
    #expect(needs > Quantile.p99.smallestCount)
    let enough = (1...needs).map { Int64($0) }
    #expect(QuantileDifference(.p99, from: enough, to: enough) != .tooFew(needs: needs))
    #expect(QuantileDifference(.p99, from: enough, to: Array(enough.dropLast())) == .tooFew(needs: needs))
    #expect(!QuantileDifference(.p99, from: many, to: few).isProven)
  }

  @Test("the interval holds the true difference at least as often as it says")
  func coverage() {
    // Exponential against exponential of another mean: the true quantiles are known.
    var state: UInt64 = 2_025
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 11) + 0.5) / 9_007_199_254_740_992
    }
    func sample(_ count: Int, mean: Double) -> [Int64] {
      (0..<count).map { _ in Int64(mean * negativeLog(uniform())) }.sorted()
    }
    for quantile in [Quantile.p50, .p90] {
      let truth = (3_000_000.0 - 1_000_000) * negativeLog(1 - quantile.fraction)
      var covered = 0
      for _ in 0..<400 {
        let difference = QuantileDifference(
          quantile, from: sample(120, mean: 1_000_000), to: sample(90, mean: 3_000_000))
        if case .known(_, let low, let high) = difference, Double(low) <= truth, truth <= Double(high) {
          covered += 1
        }
      }
      #expect(covered >= 380, "\(quantile.label): \(covered) of 400")
    }
  }

  /// -ln x for 0 < x ≤ 1 by its series, without a C library.
  private func negativeLog(_ x: Double) -> Double {
    var x = x
    var halvings = 0.0
    while x < 0.5 {
      x *= 2
      halvings += 1
    }
    let y = (x - 1) / (x + 1)
    var (power, sum) = (y, 0.0)
    for index in stride(from: 1.0, through: 41, by: 2) {
      sum += power / index
      power *= y * y
    }
    return halvings * 0.693147180559945309417 - 2 * sum
  }
}
