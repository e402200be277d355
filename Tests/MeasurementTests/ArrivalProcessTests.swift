import Measurement
import Testing

/// Jittered and burst arrivals: random or bunched, but never off the mean rate.
@Suite struct RegularArrivalTests {
  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  private func draw(_ process: ArrivalProcess, _ count: Int, seed: UInt64 = 11) -> [Int64] {
    var arrivals = process.sequence(from: start, seed: seed)
    return (0..<count).map { _ in arrivals.next().nanoseconds - start.nanoseconds }
  }

  @Test(arguments: [0.0, 0.25, 1.0])
  func jitteredStaysInItsInterval(jitter: Double) throws {
    // A third of a second is no whole number of nanoseconds.
    let rate = try #require(ArrivalRate(3, per: .seconds(1)))
    let grid = draw(.constant(rate), 30_001)
    let drawn = draw(.jittered(rate, jitter: jitter), 30_000)
    for (index, offset) in drawn.enumerated() {
      let slot = grid[index + 1] - grid[index]
      #expect(offset >= grid[index])
      #expect(Double(offset - grid[index]) <= jitter * Double(slot))
    }
    #expect(drawn == drawn.sorted())
    #expect(draw(.jittered(rate, jitter: jitter), 30_000) == drawn)
    if jitter > 0 { #expect(draw(.jittered(rate, jitter: jitter), 30_000, seed: 12) != drawn) }
  }

  @Test func jitterIsUniformAndIndependent() throws {
    let rate = try #require(ArrivalRate(1000, per: .seconds(1)))
    let n = 200_000
    let places = draw(.jittered(rate, jitter: 0.5), n).enumerated().map {
      Double($0.element - Int64($0.offset) * 1_000_000) / 1e6
    }
    let mean = places.reduce(0, +) / Double(n)
    let variance = places.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(n)
    // Uniform on [0, ½): mean ¼, variance 1/48. Five standard errors are 0.0016 and 0.0002.
    #expect(abs(mean - 0.25) < 0.0017)
    #expect(abs(variance - 1.0 / 48) < 0.0003)
    let products = zip(places, places.dropFirst()).map { ($0 - mean) * ($1 - mean) }
    #expect(abs(products.reduce(0, +) / Double(n) / variance) < 0.012)
    for tenth in 0..<10 {
      let inside = places.filter { Int($0 * 20) == tenth }.count
      #expect(abs(inside - n / 10) < 700)
    }
  }

  @Test func burstsComeAtOnceAndKeepTheMeanRate() throws {
    let rate = try #require(ArrivalRate(7, per: .seconds(60)))
    let drawn = draw(.burst(rate, size: 5), 700)
    #expect(Array(drawn.prefix(5)) == [0, 0, 0, 0, 0])
    for index in stride(from: 0, to: 700, by: 5) {
      #expect(Set(drawn[index..<index + 5]).count == 1)
      // 5 at 7 a minute: the burst after this one comes 5/7 of a minute later, computed from the start.
      #expect(drawn[index] == Int64(index) * 60_000_000_000 / 7)
    }
  }

  @Test(
    arguments: [
      (ArrivalRate(4, per: .seconds(1)), Duration.seconds(3600), 14_400),
      (ArrivalRate(30, per: .seconds(60)), .seconds(86_400), 43_200),
    ] as [(ArrivalRate?, Duration, Int)])
  func meanRateIsExact(rate: ArrivalRate?, span: Duration, expected: Int) throws {
    let rate = try #require(rate)
    for process in [
      ArrivalProcess.constant(rate), .jittered(rate, jitter: 1), .jittered(rate, jitter: 0.1),
      .burst(rate, size: 10), .burst(rate, size: 9),
    ] {
      var arrivals = process.sequence(from: start, seed: 3)
      var count = 0
      while arrivals.next() < start + span { count += 1 }
      let surplus: Int =
        if case .burst(_, let size) = process { (Int(size) - expected % Int(size)) % Int(size) } else { 0 }
      #expect(count == expected + surplus, "\(process)")
    }
  }
}

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

@Suite struct ArrivalRateTests {
  @Test func whatIsNotPositiveIsNoRate() {
    #expect(ArrivalRate(0, per: .seconds(1)) == nil)
    #expect(ArrivalRate(-1, per: .seconds(1)) == nil)
    #expect(ArrivalRate(1, per: .zero) == nil)
    #expect(ArrivalRate(perSecond: 0) == nil)
    #expect(ArrivalRate(perSecond: .nan) == nil)
    #expect(ArrivalRate(perSecond: .infinity) == nil)
    #expect(ArrivalRate(perSecond: 1e-12) == nil)
  }

  @Test func decimalRatesKeepTheirMeaning() throws {
    #expect(try #require(ArrivalRate(perSecond: 0.1)).perSecond == 0.1)
    #expect(try #require(ArrivalRate(perSecond: 1234.567)).perSecond == 1234.567)
    #expect(try #require(ArrivalRate(perSecond: 1 / 8_640_000)).period == 8_640_000_000_000_000)
    #expect(try #require(ArrivalRate.every(.milliseconds(250))).perSecond == 4)
    #expect(try #require(ArrivalRate(30, per: .seconds(60))).meanInterval == 2e9)
  }
}
