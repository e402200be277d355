import Testing

@testable import Measurement

@Suite struct PackedLatenciesTests {
  /// Small, large and everything between, so that every doubling is met.
  private static func values(_ count: Int, seed: UInt64) -> [Int64] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      Int64.random(in: -5...Int64(1) << Int64.random(in: 0...50, using: &generator), using: &generator)
    }
  }

  @Test(arguments: 1...8)
  func bucketsAreThoseOfTheHistogram(seed: UInt64) {
    let values = Self.values(400, seed: seed)
    var histogram = LatencyHistogram()
    for value in values { histogram.record(value) }
    let packed = PackedLatencies(values)
    #expect(Array(packed) == Array(histogram.buckets))
    #expect(packed.count == values.count)
  }

  @Test func everyBoundaryIsTheHistograms() {
    for exponent in 0..<62 {
      let power = Int64(1) << Int64(exponent)
      for value in [power - 1, power, power + 1] {
        var histogram = LatencyHistogram()
        histogram.record(value)
        #expect(Array(PackedLatencies([value])) == Array(histogram.buckets), "\(value)")
      }
    }
  }

  @Test func mergingGivesTheSameQuantiles() {
    let values = Self.values(5_000, seed: 9)
    var whole = LatencyHistogram()
    var merged = LatencyHistogram()
    for start in stride(from: 0, to: values.count, by: 100) {
      merged.merge(PackedLatencies(values[start..<start + 100]))
    }
    for value in values { whole.record(value) }
    #expect(Array(merged.buckets) == Array(whole.buckets))
    #expect(merged.count == whole.count)
  }

  /// What is merged lies between the smallest and the largest figure, so that no interval claims more than is known.
  @Test(arguments: 1...20)
  func mergedEndsEncloseTheTrueOnes(seed: UInt64) throws {
    let values = Self.values(Int(seed) * 3, seed: seed).map { max(0, $0) }
    var merged = LatencyHistogram()
    merged.merge(PackedLatencies(values))
    #expect(try #require(merged.maximum) >= values.max() ?? 0)
    #expect(try #require(merged.value(.p50)) >= ExactQuantiles(values).value(.p50) ?? 0)
    let least = try #require(Array(merged.buckets).first)
    if least.count > 1 { #expect(least.lower <= values.min() ?? 0) }
  }

  @Test(arguments: 1...4)
  func sumsOfManyAreThoseOfAll(seed: UInt64) {
    let values = Self.values(3_000, seed: seed)
    var counts = LatencyCounts()
    for start in stride(from: 0, to: values.count, by: 50) {
      counts.add(PackedLatencies(values[start..<start + 50]))
    }
    #expect(counts.packed == PackedLatencies(values))
  }

  @Test(arguments: 1...4)
  func addingAndTakingOutGoBackToWhereItWas(seed: UInt64) {
    let kept = Self.values(200, seed: seed)
    let passing = Self.values(150, seed: seed &+ 100)
    var tally = LatencyAccumulator()
    tally.add(PackedLatencies(kept + passing))
    for value in passing { tally.add(value, count: -1) }
    #expect(tally.packed == PackedLatencies(kept))
  }

  @Test func nothingIsNoBytes() {
    #expect(PackedLatencies([Int64]()).bytes.isEmpty)
    var tally = LatencyAccumulator()
    tally.add(7)
    tally.add(7, count: -1)
    #expect(tally.packed.isEmpty)
  }

  @Test func aSecondAtAUsualRateTakesFewBytes() {
    #expect(PackedLatencies([41_000, 52_000, 48_000, 61_000]).bytes.count <= 8)
  }

  /// Damaged bytes end the walk; they never trap.
  @Test func takesAnyBytes() {
    var generator = SeededGenerator(seed: 3)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let buckets = Array(PackedLatencies(bytes: bytes))
      #expect(buckets.allSatisfy { $0.lower <= $0.upper && $0.count > 0 })
    }
    #expect(Array(PackedLatencies(bytes: Array(repeating: 0xFF, count: 40))).isEmpty)
  }
}
