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
