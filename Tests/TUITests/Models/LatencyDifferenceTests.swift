import Measurement
import Testing

@testable import Findings
@testable import TUI

@Suite struct LatencyDifferenceTests {
  private func figure(_ value: Int64, _ low: Int64?, _ high: Int64?) -> QuantileFigure {
    .known(
      QuantileInterval(
        value: value, low: low, high: high, count: 500, effectiveCount: 40, usesHistory: false))
  }

  @Test func anEndIsAsOpenAsThoseItIsMadeFrom() {
    let whole = figure(1_000, 900, 1_100)
    let slow = figure(5_000, 4_600, nil)
    let up = LatencyDifference(from: whole, to: slow, isExact: true)
    // √(400² + 100²), rounded up.
    #expect(up == .known(value: 4_000, low: 4_000 - 413, high: nil))
    #expect(up.isProven)
    let down = LatencyDifference(from: slow, to: whole, isExact: true)
    #expect(down == .known(value: -4_000, low: nil, high: -4_000 + 413))
    #expect(down.isProven)
    #expect(
      LatencyDifference(from: whole, to: slow, isExact: false) == .known(value: 4_000, low: 3_500, high: nil))
    let near = LatencyDifference(from: whole, to: figure(1_010, 700, nil), isExact: true)
    #expect(!near.isProven)
    #expect(
      LatencyDifference(from: slow, to: slow, isExact: true) == .known(value: 0, low: nil, high: nil))
    #expect(LatencyDifference(from: .pending, to: whole, isExact: true) == .unknown)
  }
}
