import Measurement
import Testing

@testable import Measurement

@Suite("Ticks of the axis of latencies")
struct LatencyTicksTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let kind: LatencyAxis.Kind
    let lower: Int64
    let upper: Int64
    let most: Int
    let labels: [String]

    var testDescription: String { "\(kind) \(lower)…\(upper), \(most)" }
  }

  static let cases = [
    Case(
      kind: .linear, lower: 0, upper: 1_000_000, most: 6,
      labels: ["0.0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]),
    Case(
      kind: .linear, lower: 0, upper: 50_000, most: 6,
      labels: ["0 ms", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms"]),
    Case(kind: .linear, lower: 0, upper: 2_500, most: 4, labels: ["0 ms", "1 ms", "2 ms"]),
    Case(kind: .linear, lower: 0, upper: 900, most: 3, labels: ["0 µs", "500 µs"]),
    Case(kind: .linear, lower: 0, upper: 10, most: 3, labels: ["0 µs", "5 µs", "10 µs"]),
    Case(kind: .linear, lower: 0, upper: 3_000_000, most: 2, labels: ["0 s", "2 s"]),
    // Five decades: one label each.
    Case(
      kind: .logarithmic, lower: 100, upper: 10_000_000, most: 7,
      labels: ["100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"]),
    // More decades than rows: every second one.
    Case(
      kind: .logarithmic, lower: 1, upper: 10_000_000, most: 4, labels: ["1 µs", "100 µs", "10 ms", "1 s"]),
    Case(
      kind: .logarithmic, lower: 1_000, upper: 1_000_000, most: 10,
      labels: [
        "1 ms", "2 ms", "5 ms", "10 ms", "20 ms", "50 ms", "100 ms", "200 ms", "500 ms", "1 s",
      ]),
    Case(
      kind: .logarithmic, lower: 200_000, upper: 2_000_000, most: 12,
      labels: [
        "200 ms", "300 ms", "400 ms", "500 ms", "600 ms", "700 ms", "800 ms", "900 ms", "1 s", "2 s",
      ]),
    // Less than a decade: equal steps, one format.
    Case(
      kind: .logarithmic, lower: 2_000, upper: 10_000, most: 5,
      labels: ["2 ms", "4 ms", "6 ms", "8 ms", "10 ms"]),
    Case(
      kind: .logarithmic, lower: 500_000, upper: 2_000_000, most: 4,
      labels: ["0.5 s", "1.0 s", "1.5 s", "2.0 s"]),
  ]

  @Test("the table", arguments: cases)
  func table(_ row: Case) {
    let axis = LatencyAxis(kind: row.kind, lower: row.lower, upper: row.upper)
    #expect(LatencyTicks.make(for: axis, most: row.most).map(\.label) == row.labels)
  }

  @Test("labels fit, ascend, differ and lie on the axis, for any range and height")
  func properties() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      let lower =
        Int64.random(in: 0..<10_000_000, using: &generator) >> Int64.random(in: 0..<24, using: &generator)
      let span =
        Int64.random(in: 1..<100_000_000_000, using: &generator)
        >> Int64.random(in: 0..<34, using: &generator)
      let most = Int.random(in: 2...40, using: &generator)
      for kind in [LatencyAxis.Kind.linear, .logarithmic] {
        let axis = LatencyAxis(kind: kind, lower: lower, upper: lower + max(1, span))
        let ticks = LatencyTicks.make(for: axis, most: most)
        #expect(ticks.count <= most, "\(axis) \(most)")
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0.value < $1.value })
        #expect(Set(ticks.map(\.label)).count == ticks.count, "\(axis): \(ticks.map(\.label))")
        #expect(ticks.allSatisfy { $0.value >= axis.lower && $0.value <= axis.upper })
      }
    }
  }

  @Test("automatic ranges end on 1, 2 or 5, hold all values and have room for a distribution")
  func fitting() {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<20_000 {
      let smallest =
        Int64.random(in: 0..<10_000_000, using: &generator) >> Int64.random(in: 0..<24, using: &generator)
      let largest = smallest + Int64.random(in: 0..<10_000_000, using: &generator)
      let axis = LatencyAxis.fitting(kind: .logarithmic, smallest: smallest, largest: largest)
      #expect(axis.lower <= max(1, smallest) && axis.upper >= largest && axis.upper >= 5 * axis.lower)
      for edge in [axis.lower, axis.upper] {
        let lead = String(edge).first
        #expect(lead == "1" || lead == "2" || lead == "5", "\(edge)")
        #expect(String(edge).dropFirst().allSatisfy { $0 == "0" })
      }
      let linear = LatencyAxis.fitting(kind: .linear, smallest: smallest, largest: largest)
      #expect(linear.lower == 0 && linear.upper >= largest)
      #expect(Double(linear.upper) <= Double(max(10, largest)) * 2.2)
    }
    #expect(LatencyAxis.fitting(kind: .logarithmic, smallest: nil, largest: nil).upper == 1_000_000)
  }
}
