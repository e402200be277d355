import Measurement
import Testing

@Suite struct DeviceClockTests {
  private func expectContains(_ reading: ClockReading, _ truth: Int64, _ comment: Comment = "") {
    #expect(reading.earliest.nanoseconds <= truth, comment)
    #expect(reading.latest.nanoseconds >= truth, comment)
    #expect(reading.instant >= reading.earliest && reading.instant <= reading.latest, comment)
  }

  @Test func knowsNothingWithoutAnExchange() {
    #expect(DeviceClock().reading(of: 5) == nil)
    #expect(DeviceClock().driftPartsPerMillion == nil)
  }

  @Test func aLoneExchangeBoundsByHalfTheRoundTrip() throws {
    var simulated = SimulatedClock(skew: 7_000_000_000, drift: 0)
    let exchange = try simulated.exchange(out: 30_000_000, server: 1_000_000, back: 10_000_000)
    var clock = DeviceClock()
    #expect(clock.add(exchange) == .taken)
    // In the midst of it the stamps of both ends are as near as they can be.
    let stamp = (exchange.t1 + exchange.t4) / 2
    let reading = try #require(clock.reading(of: stamp))
    let half: Int64 = 20_000_000
    // 20.5 ms on either side at 500 ppm widen it by some 10 µs.
    #expect(abs((reading.latest - reading.instant).nanoseconds - half) < 11_000)
    #expect(abs((reading.instant - reading.earliest).nanoseconds - half) < 11_000)
    // The estimate takes both ways to be alike: it is off by half of how unlike they are, inside the bound.
    let truth = stamp - 1_700_000_000_000_000_000 - 7_000_000_000 + 3_000_000_000
    expectContains(reading, truth)
    #expect(abs(reading.instant.nanoseconds - truth) == 10_000_000)
  }

  @Test func theBoundGrowsWithTheDistanceBothWays() throws {
    var simulated = SimulatedClock(skew: 0, drift: 0)
    simulated.advance(1_000_000_000_000)
    var clock = DeviceClock()
    let exchange = try simulated.exchange(out: 1_000_000, server: 0, back: 1_000_000)
    _ = clock.add(exchange)
    func width(_ distance: Int64) throws -> Int64 {
      let reading = try #require(clock.reading(of: exchange.t1 + 1_000_000 + distance))
      return (reading.latest - reading.earliest).nanoseconds
    }
    let near = try width(0)
    for distance in [100_000_000_000, -100_000_000_000] as [Int64] {
      // ±500 ppm of 100 s is ±50 ms.
      #expect(abs(try width(distance) - near - 100_000_000) < 110_000)
    }
  }

  @Test(arguments: 0..<60) func theTruthIsAlwaysInside(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &+ 100)
    func draw(_ low: Int64, _ high: Int64) -> Int64 { .random(in: low...high, using: &random) }
    var simulated = SimulatedClock(
      skew: draw(-1_000_000_000_000, 1_000_000_000_000), drift: draw(-499, 499))
    var clock = DeviceClock()
    // Ways of 10 µs to 300 ms, one up to a thousand times longer than the other.
    let scale = draw(10_000, 300_000_000)
    let asymmetry = random.unit()
    var stamps: [(stamp: Int64, truth: Int64, cut: Bool)] = []
    var widest: Int64 = 0
    for _ in 0..<150 {
      simulated.advance(draw(1_000, 20_000_000_000))
      if random.unit() < 0.1 { simulated.drift = draw(-499, 499) }
      let cut = random.unit() < 0.5
      stamps.append((cut ? simulated.device / 1_000_000 * 1_000_000 : simulated.device, simulated.now, cut))
      simulated.advance(draw(0, 5_000_000_000))
      if random.unit() < 0.6 {
        let out = Int64(Double(scale) * asymmetry * random.unit())
        let back = Int64(Double(scale) * (1 - asymmetry) * (0.2 + random.unit()))
        let exchange = try simulated.exchange(out: out, server: draw(0, 2_000_000), back: back)
        #expect(clock.add(exchange) == .taken, "nobody set the clock")
        #expect(clock.add(exchange) == .repeated)
      }
      // Stamps are read right away and again long after, before, between and after the exchanges.
      for stamp in stamps.suffix(3) + [stamps[Int(draw(0, Int64(stamps.count - 1)))]] {
        guard let reading = clock.reading(of: stamp.stamp, resolution: stamp.cut ? 1_000_000 : 0) else {
          #expect(clock.exchanges.isEmpty)
          continue
        }
        expectContains(reading, stamp.truth, "seed \(seed)")
        widest = max(widest, (reading.latest - reading.earliest).nanoseconds)
      }
      #expect(clock.exchanges.count <= DeviceClock.capacity)
    }
    #expect(widest > 0)
  }

  @Test func theFitTellsTheDriftAndSharpensTheEstimate() throws {
    var simulated = SimulatedClock(skew: 5_000_000_000, drift: 120)
    var clock = DeviceClock()
    var random = SeededGenerator(seed: 8)
    for _ in 0..<300 {
      simulated.advance(5_000_000_000)
      // Most exchanges are slowed by a queue, one way or the other; a few are not.
      let queue = random.unit() < 0.3 ? 0 : Int64(random.unit() * 40_000_000)
      let isOut = random.unit() < 0.5
      let exchange = try simulated.exchange(
        out: 2_000_000 + (isOut ? queue : 0), back: 2_000_000 + (isOut ? 0 : queue))
      _ = clock.add(exchange)
    }
    let drift = try #require(clock.driftPartsPerMillion)
    #expect(abs(drift - 120) < 3)
    simulated.advance(60_000_000_000)
    let reading = try #require(clock.reading(of: simulated.device))
    expectContains(reading, simulated.now)
    let error = abs(reading.instant.nanoseconds - simulated.now)
    #expect(error < 300_000, "a minute on, the drift would have made 7 ms")
    #expect(reading.latest.nanoseconds - simulated.now < 60_000_000)
    #expect(clock.exchanges.count == DeviceClock.capacity)
    let span = try #require(clock.exchanges.last).t2 - (try #require(clock.exchanges.first)).t2
    #expect(span > .seconds(1200), "thinned out, not forgotten")
  }

  @Test func aDriftThatCannotBeToldIsNotInvented() throws {
    var simulated = SimulatedClock(skew: 0, drift: 0)
    var clock = DeviceClock()
    for _ in 0..<10 {
      simulated.advance(1_000_000_000)
      _ = clock.add(try simulated.exchange(out: 40_000_000, back: 60_000_000))
    }
    #expect(clock.driftPartsPerMillion == nil)
  }

  @Test func aClockThatWasSetIsNoticed() throws {
    var simulated = SimulatedClock(skew: 0, drift: 40)
    var clock = DeviceClock()
    var before: [ClockExchange] = []
    for _ in 0..<20 {
      simulated.advance(10_000_000_000)
      let exchange = try simulated.exchange(out: 5_000_000, back: 5_000_000)
      before.append(exchange)
      #expect(clock.add(exchange) == .taken)
    }
    let old = simulated.device
    simulated.advance(1_000_000_000)
    simulated.step(2_000_000_000)
    simulated.advance(1_000_000_000)
    let first = try simulated.exchange(out: 5_000_000, back: 5_000_000)
    guard case .stepped(let by) = clock.add(first) else {
      Issue.record("the step was not noticed")
      return
    }
    #expect(abs(by - 2_000_000_000) < 12_000_000)
    #expect(clock.exchanges == [first])
    #expect(clock.reading(of: old) == nil, "nobody knows any more which clock that was")
    // What was under way when the clock was set comes too late to count.
    #expect(clock.add(before[19]) == .outdated)
    simulated.advance(3_000_000_000)
    expectContains(try #require(clock.reading(of: simulated.device)), simulated.now)
  }

  /// As a browser's: whole milliseconds, one too many or too few, by a device that takes its steps for 100 µs.
  @Test(arguments: [UInt64(1), 2, 3]) func theTruthIsInsideOfACoarseClocksBoundOnceItIsKnown(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    var simulated = SimulatedClock(skew: 5_000_000_000, drift: 20)
    func shown() -> Int64 {
      simulated.device / 1_000_000 * 1_000_000 + (Bool.random(using: &random) ? 1_000_000 : 0)
    }
    var clock = DeviceClock()
    var found: [Int64] = []
    for _ in 0..<600 {
      simulated.advance(.random(in: 1_000_000...3_000_000_000, using: &random))
      let t1 = shown() - 100_000
      simulated.advance(.random(in: 100_000...400_000, using: &random))
      let arrived = simulated.instant
      simulated.advance(20_000)
      let left = simulated.instant
      simulated.advance(.random(in: 100_000...400_000, using: &random))
      guard let exchange = ClockExchange(t1: t1, t2: arrived, t3: left, t4: shown() + 100_000) else {
        continue
      }
      switch clock.add(exchange) {
      case .coarse(let by): found.append(by)
      case .stepped: Issue.record("nobody set the clock")
      default: break
      }
      guard clock.coarseness > 0 else { continue }
      // The first stamp may be one of before.
      if let reading = clock.reading(of: shown()) { expectContains(reading, simulated.now) }
    }
    #expect(clock.reading(of: shown()) != nil)
    #expect(found.count == 1, "what a step of 1 ms explains is no news afterwards")
    #expect(clock.coarseness >= DeviceClock.coarseStep && clock.coarseness < 2_000_000)
  }

  @Test func exchangesMayComeInAnyOrder() throws {
    var simulated = SimulatedClock(skew: -3_000_000_000, drift: -300)
    var exchanges: [ClockExchange] = []
    for _ in 0..<30 {
      simulated.advance(2_000_000_000)
      exchanges.append(try simulated.exchange(out: 3_000_000, back: 700_000))
    }
    var inOrder = DeviceClock()
    for exchange in exchanges { #expect(inOrder.add(exchange) == .taken) }
    var random = SeededGenerator(seed: 2)
    var mixed = DeviceClock()
    for exchange in exchanges.shuffled(using: &random) { #expect(mixed.add(exchange) == .taken) }
    #expect(mixed == inOrder)
  }

  @Test func hostileStampsDoNoHarm() {
    var random = SeededGenerator(seed: 77)
    let edges: [Int64] = [0, 1, 1_000_000, 1_700_000_000_000_000_000, .max - 1, .max]
    var clock = DeviceClock()
    func draw() -> Int64 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: edges[Int.random(in: 0..<edges.count, using: &random)]
      case 1: Int64.random(in: 0...Int64.max, using: &random)
      default: Int64.random(in: -1000...1_000_000_000_000, using: &random)
      }
    }
    for _ in 0..<20_000 {
      let exchange = ClockExchange(
        t1: draw(), t2: MonotonicTime(nanoseconds: draw()), t3: MonotonicTime(nanoseconds: draw()), t4: draw()
      )
      if let exchange { _ = clock.add(exchange) }
      let resolution: Int64 = Bool.random(using: &random) ? 1_000_000 : 0
      if let reading = clock.reading(of: draw(), resolution: resolution) {
        #expect(reading.earliest <= reading.instant && reading.instant <= reading.latest)
        #expect(reading.error > .zero)
      }
      #expect(clock.exchanges.count <= DeviceClock.capacity)
    }
  }

  @Test func whatIsKnownOfCauseAndEffectNarrowsAReading() {
    let reading = ClockReading(
      instant: MonotonicTime(nanoseconds: 50), earliest: MonotonicTime(nanoseconds: 10),
      latest: MonotonicTime(nanoseconds: 90))
    func between(_ low: Int64, _ high: Int64) -> [Int64]? {
      reading.between(MonotonicTime(nanoseconds: low), and: MonotonicTime(nanoseconds: high)).map {
        [$0.instant, $0.earliest, $0.latest].map(\.nanoseconds)
      }
    }
    #expect(between(0, 100) == [50, 10, 90])
    #expect(between(60, 100) == [60, 60, 90])
    #expect(between(0, 20) == [20, 10, 20])
    #expect(between(91, 100) == nil)
    #expect(between(0, 9) == nil)
  }
}

/// A device's clock against ours, both known: it starts ahead by `skew` and then runs fast or slow as the test says.
/// Time only goes forward, in whole nanoseconds.
struct SimulatedClock {
  /// Our clock.
  private(set) var now: Int64 = 3_000_000_000
  /// The device's clock at the same instant.
  private(set) var device: Int64
  /// In parts per million.
  var drift: Int64

  init(skew: Int64, drift: Int64) {
    device = 1_700_000_000_000_000_000 + skew
    self.drift = drift
  }

  var instant: MonotonicTime { MonotonicTime(nanoseconds: now) }

  mutating func advance(_ nanoseconds: Int64) {
    now += nanoseconds
    device += nanoseconds + nanoseconds * drift / 1_000_000
  }

  /// Somebody sets the device's clock.
  mutating func step(_ nanoseconds: Int64) { device += nanoseconds }

  struct Impossible: Error {}

  /// An exchange whose question takes `out` and whose answer takes `back`.
  mutating func exchange(out: Int64, server: Int64 = 50_000, back: Int64) throws -> ClockExchange {
    let t1 = device
    advance(out)
    let t2 = instant
    advance(server)
    let t3 = instant
    advance(back)
    guard let exchange = ClockExchange(t1: t1, t2: t2, t3: t3, t4: device) else { throw Impossible() }
    return exchange
  }
}
