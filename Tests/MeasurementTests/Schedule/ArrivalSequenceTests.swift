import Measurement
import Testing

@Suite struct ArrivalSequenceTests {
  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  @Test func constantInstantsAreComputedFromTheStart() throws {
    var arrivals = ArrivalProcess.constant(try #require(ArrivalRate(3, per: .seconds(1))))
      .sequence(from: start, seed: 1)
    var offsets: [Int64] = []
    for _ in 0..<7 { offsets.append(arrivals.next().nanoseconds - start.nanoseconds) }
    #expect(
      offsets == [
        0, 333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333, 1_666_666_666, 2_000_000_000,
      ])
  }

  @Test func aYearAtAnUnevenRateDoesNotDrift() throws {
    let rate = try #require(ArrivalRate(7, per: .seconds(60)))
    var arrivals = ArrivalProcess.constant(rate).sequence(from: start, seed: 1)
    var last = start
    for _ in 0...(7 * 60 * 24) { last = arrivals.next() }
    #expect(last - start == .seconds(86_400))
  }

  @Test func poissonRepeatsFromItsSeedAndOnlyFromIt() throws {
    let process = ArrivalProcess.poisson(try #require(ArrivalRate(1000, per: .seconds(1))))
    func draw(_ seed: UInt64) -> [MonotonicTime] {
      var arrivals = process.sequence(from: start, seed: seed)
      return (0..<100).map { _ in arrivals.next() }
    }
    #expect(draw(42) == draw(42))
    #expect(draw(42) != draw(43))
  }

  @Test func poissonGapsHaveMeanAndDeviationOfAnExponential() throws {
    let process = ArrivalProcess.poisson(try #require(ArrivalRate(1000, per: .seconds(1))))
    var arrivals = process.sequence(from: start, seed: 7)
    var previous = start
    var sum = 0.0
    var squares = 0.0
    var aboveThreeMeans = 0
    let n = 200_000
    for _ in 0..<n {
      let instant = arrivals.next()
      #expect(instant >= previous)
      let gap = Double(instant.nanoseconds - previous.nanoseconds)
      sum += gap
      squares += gap * gap
      if gap > 3e6 { aboveThreeMeans += 1 }
      previous = instant
    }
    let mean = sum / Double(n)
    let deviation = (squares / Double(n) - mean * mean).squareRoot()
    #expect(abs(mean - 1e6) < 0.01e6)
    #expect(abs(deviation - 1e6) < 0.015e6)
    // e⁻³ of the gaps are longer than three means.
    #expect(abs(Double(aboveThreeMeans) / Double(n) - 0.04979) < 0.002)
  }
}
