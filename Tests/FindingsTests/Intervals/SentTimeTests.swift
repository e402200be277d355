import Measurement
import Testing

@testable import Findings

@Suite struct SentTimeTests {
  private static func time(_ seconds: Double) -> WallTime { WallTime(microseconds: Int64(seconds * 1e6)) }

  private func sent(_ times: some Sequence<Double>, in window: Range<Double>) -> [Range<Double>] {
    var accumulator = SentTimeAccumulator()
    for time in times { accumulator.insert(Self.time(time)) }
    return accumulator.time(in: Self.time(window.lowerBound)..<Self.time(window.upperBound)).stretches.map {
      Double($0.lowerBound.microseconds) / 1e6..<Double($0.upperBound.microseconds) / 1e6
    }
  }

  private func every(_ interval: Double, _ range: Range<Double>) -> [Double] {
    Array(stride(from: range.lowerBound, to: range.upperBound, by: interval))
  }

  @Test func beforeTheFirstAndBehindTheLastIsNoSentTime() {
    #expect(sent(every(0.5, 100..<108), in: 0..<3_600) == [100..<108])
    // In any order.
    #expect(sent(every(0.5, 100..<108).reversed(), in: 0..<3_600) == [100..<108])
    // Nearly all of the window is all of it.
    #expect(sent(every(10, 7..<3_590), in: 0..<3_600) == [0..<3_600])
    #expect(sent([], in: 0..<60) == [0..<60])
    #expect(sent(every(1, 500..<600), in: 0..<60) == [0..<60])
  }

  @Test func onlyLongGapsAreLeftOut() {
    let twice = every(1, 0..<300) + every(1, 7_200..<7_500)
    #expect(sent(twice, in: 0..<7_500) == [0..<300, 7_200..<7_500])
    // Nights between short runs: each gap, also where one is much longer than the others.
    let runs = [0, 1_000, 90_000].flatMap { every(1, $0..<$0 + 100) }
    #expect(sent(runs, in: 0..<90_100) == [0..<100, 1_000..<1_100, 90_000..<90_100])
    // A missed minute is part of an hour, and so is what few notifications leave out by chance.
    #expect(sent(every(1, 0..<1_800) + every(1, 1_860..<3_600), in: 0..<3_600) == [0..<3_600])
    #expect(sent([0, 300, 310, 320, 800, 1_500, 1_510, 3_599], in: 0..<3_600) == [0..<3_600])
  }

  @Test func manyPiecesAreJoined() {
    let scattered = every(3, 0..<60_000)
    #expect(sent(scattered, in: 0..<60_000) == [0..<60_000])
    let shuffled = scattered.enumerated().sorted {
      ($0.offset * 7_919 % 20_000) < ($1.offset * 7_919 % 20_000)
    }
    #expect(sent(shuffled.map(\.element), in: 0..<60_000) == [0..<60_000])
  }

  @Test func blocksGoOnBehindAGap() {
    var accumulator = SentTimeAccumulator()
    for second in every(1, 0..<300) + every(1, 7_200..<7_500) { accumulator.insert(Self.time(second)) }
    let plan = BlockPlan(accumulator.time(in: Self.time(0)..<Self.time(7_500)))
    #expect(plan.count == 96)
    #expect(plan.block(of: Self.time(0)) == 0)
    #expect(plan.block(of: Self.time(299)) == 47)
    #expect(plan.block(of: Self.time(7_200)) == 48)
    #expect(plan.block(of: Self.time(7_499)) == 95)
    for outside in [-1, 300, 5_000, 7_500] as [Double] { #expect(plan.block(of: Self.time(outside)) == nil) }
  }
}
