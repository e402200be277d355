import Measurement
import Store
import Synchronization
import TestKit
import Testing

@testable import Collector
@testable import Transport

/// Acceptance case 6 of docs/measurement.md: a device with a skewed and drifting clock behind asymmetric delay.
/// The truth lies inside the reported bound every time, in what the store holds.
@Suite("Remote clocks, from the exchange to the stored row")
struct RemoteClockAcceptanceTests {
  private struct Truth {
    var receivedAt: MonotonicTime
    var offset: Double
  }

  @Test(
    "true latency and true offset lie inside the bound, for every notification",
    arguments: [
      (.seconds(7), 120, 1), (.seconds(-86_400), -480, 2), (.milliseconds(3), 480, 3), (.seconds(0), 0, 4),
      (.seconds(1_000_000), 35, 5),
    ] as [(Duration, Int64, UInt64)])
  func truthIsInside(skew: Duration, drift: Int64, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func draw(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }
    let fixture = try RecorderFixture(deadline: .seconds(3600))
    var phone = RemotePhone("phone", clock: fixture.clock, skew: skew, drift: drift)
    // The way there may be much longer than the way back, or the other way round.
    let (there, back) = (draw(2_000...200_000), draw(500...50_000))
    var truths: [Truth] = []
    var waiting: [ArrivedReceipt] = []
    for number in Int64(1)...120 {
      if number.isMultiple(of: 30) { phone.drift = draw(-499...499) }
      phone.pass(microseconds: draw(1_000...20_000_000))
      let planned = fixture.clock.monotonicNow()
      fixture.inbox.post([
        .planned(PlannedBlock(target: fixture.target, firstSequence: number, planned: [planned]))
      ])
      phone.pass(microseconds: draw(0...300))
      fixture.send(number)
      phone.pass(microseconds: there + draw(0...there))
      truths.append(Truth(receivedAt: fixture.clock.monotonicNow(), offset: phone.offset))
      waiting.append(
        ArrivedReceipt(
          id: NotificationID(run: fixture.run, sample: fixture.id(number)), device: phone.name,
          arrivedAt: .zero, receivedAt: phone.stamp))
      // Now and then it keeps its receipts, and what it tells of its clock, for later.
      let isOffline = number > 1 && number < 120 && draw(0...3) == 0
      var exchanges: [DeviceExchange] = []
      for _ in 0..<(isOffline ? 0 : draw(number == 1 ? 1...3 : 0...3)) {
        exchanges.append(
          try phone.exchange(out: back + draw(0...back * 3), back: there + draw(0...there * 3)))
      }
      phone.pass(microseconds: back)
      if !isOffline {
        let now = fixture.clock.monotonicNow()
        for index in waiting.indices { waiting[index].arrivedAt = now }
        fixture.inbox.receive(waiting, exchanges: exchanges) { _ in }
        waiting = []
      }
      _ = try fixture.recorder.round()
    }

    var receipts: [SampleID: Receipt] = [:]
    try fixture.reader.forEachReceipt(RowSelection()) { receipts[$0.receipt.sample] = $0.receipt }
    var errors: [Int64] = []
    for (index, truth) in truths.enumerated() {
      let id = fixture.id(Int64(index + 1))
      let sample = try #require(try fixture.reader.sample(id))
      #expect(sample.state == .delivered)
      let latency = try #require(sample.deliveryLatency)
      let error = try #require(sample.deliveryError)
      let actual = truth.receivedAt.microseconds - sample.plannedMonotonic
      #expect(
        abs(latency - actual) <= error, "notification \(index + 1): \(latency) ± \(error), truly \(actual)")
      let range = try #require(sample.deliveryRange)
      #expect(
        range.low <= actual && actual <= range.high, "notification \(index + 1): \(range), truly \(actual)")
      let arrival = try #require(receipts[id]).arrivedAt.microseconds - sample.plannedAt.microseconds
      #expect(range.high == min(latency + error, arrival) && range.low == max(0, latency - error))
      errors.append(error)
      let receipt = try #require(receipts[id])
      #expect(!receipt.isSameClock)
      let offset = try #require(receipt.offset)
      let bound = try #require(receipt.offsetError)
      #expect(abs(Double(offset) - truth.offset) <= Double(bound) + 1, "notification \(index + 1)")
    }
    // The bound is worth something: half a round trip, half a millisecond for the stamp, and what drift can do since.
    let median = errors.sorted()[errors.count / 2]
    #expect(median < (there + back) * 3 / 2 + 500 + 5_000, "\(median) for \(there) there and \(back) back")
    let kinds = try fixture.kinds()
    #expect(kinds.contains(.clockOffset))
    #expect(!kinds.contains(.clockStep))
    #expect(try fixture.count(of: "clock_exchange") > 60)
  }

  /// What is shown is the quantile of estimates, which is off by as much as half of the delays' difference; what is
  /// certain is the interval.
  @Test(
    "the true quantile lies in the interval of every quantile, from samples and from rollups alike",
    arguments: [
      (40, 90_000, 3_000, 1), (40, 3_000, 90_000, 2), (-300, 60_000, 1_000, 3), (0, 20_000, 20_000, 4),
    ] as [(Int64, Int64, Int64, UInt64)])
  func trueQuantilesAreInside(drift: Int64, there: Int64, back: Int64, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func draw(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }
    let fixture = try RecorderFixture(deadline: .seconds(3600))
    var phone = RemotePhone("phone", clock: fixture.clock, skew: .seconds(-90), drift: drift)
    var truths: [Int64] = []
    for number in Int64(1)...420 {
      phone.pass(microseconds: draw(100_000...400_000))
      let planned = fixture.clock.monotonicNow()
      fixture.inbox.post([
        .planned(PlannedBlock(target: fixture.target, firstSequence: number, planned: [planned]))
      ])
      phone.pass(microseconds: draw(0...300))
      fixture.send(number)
      phone.pass(microseconds: there + draw(0...there / 2))
      truths.append(fixture.clock.monotonicNow().microseconds - planned.microseconds)
      let stamp = phone.stamp
      // Without an exchange for the first ones: only their receipts' arrivals are known.
      let exchanges = number < 20 ? [] : [try phone.exchange(out: back, back: there)]
      phone.pass(microseconds: back)
      fixture.inbox.receive(
        [
          ArrivedReceipt(
            id: NotificationID(run: fixture.run, sample: fixture.id(number)), device: phone.name,
            arrivedAt: fixture.clock.monotonicNow(), receivedAt: stamp)
        ], exchanges: exchanges
      ) { _ in }
      _ = try fixture.recorder.round()
    }
    fixture.clock.advance(by: .seconds(7_300))
    while try fixture.store.rollUp() {}

    var samples = RangedLatencies<[Int64]>([])
    try fixture.reader.forEachSample(RowSelection()) { row in
      guard let latency = row.deliveryLatency else { return }
      samples.combine(RangedLatencies(latency, row.deliveryRange)) { $0.append($1) }
    }
    let total = try #require(
      try fixture.reader.rollupTotals(
        of: fixture.target, from: nil, to: nil, figures: Set(RollupFigure.allCases))?.variants.first)
    var histogram = RangedLatencies(LatencyHistogram())
    histogram.combine(total.ranged(.delivery)) { $0.merge($1) }
    #expect(samples.values.count == 420 && histogram.values.count == 420 && !histogram.isExact)
    let exact = ExactQuantiles(truths)
    var isOff = false
    for quantile in [Quantile.p50, .p90, .p95, .p99] {
      let truth = try #require(exact.value(quantile))
      for estimate in [
        samples.map { ExactQuantiles($0) }.estimate { $0.estimate(quantile) },
        histogram.estimate { $0.estimate(quantile) },
      ] {
        guard case .known(let value, let low, let high) = estimate else {
          Issue.record("\(quantile.label) is known of 420 values")
          continue
        }
        #expect(low <= truth && truth <= high, "\(quantile.label) is \(truth), not in \(low)–\(high)")
        #expect(low <= value && value <= high)
      }
      // The interval of the measured values alone would not do.
      guard case .known(_, let low, let high) = ExactQuantiles(samples.values).estimate(quantile) else {
        continue
      }
      isOff = isOff || truth < low || truth > high
    }
    if there != back { #expect(isOff) }
  }

  @Test("a device whose clock is set says so, and what it stamped before is not read by the new clock")
  func steppedDevice() throws {
    let fixture = try RecorderFixture(deadline: .seconds(3600))
    var phone = RemotePhone("phone", clock: fixture.clock, skew: .seconds(1), drift: 10)
    fixture.plan(2)
    phone.pass(microseconds: 200_000)
    fixture.send(1)
    fixture.send(2)
    let before = phone.stamp
    let first = try phone.exchange(out: 5_000, back: 5_000)
    phone.set(by: .seconds(30))
    phone.pass(microseconds: 1_000_000)
    let second = try phone.exchange(out: 5_000, back: 5_000)
    let after = phone.stamp
    let arrival = fixture.clock.monotonicNow()
    func receipt(_ number: Int64, _ stamp: WallTime) -> ArrivedReceipt {
      ArrivedReceipt(
        id: NotificationID(run: fixture.run, sample: fixture.id(number)), device: "phone", arrivedAt: arrival,
        receivedAt: stamp)
    }
    fixture.inbox.receive([receipt(1, before), receipt(2, after)], exchanges: [first, second]) { _ in }
    _ = try fixture.recorder.round()
    #expect(try fixture.kinds().filter { $0 == .clockStep }.count == 1)
    let old = try #require(try fixture.reader.sample(fixture.id(1)))
    #expect(old.deliveryError == old.deliveryLatency, "only that it was here by now is certain")
    let new = try #require(try fixture.reader.sample(fixture.id(2)))
    #expect((new.deliveryError ?? .max) < 12_000)
  }

  @Test(
    "when the collector's host slept, nothing from before is read by what came after, nor the other way round"
  )
  func sleepingHost() throws {
    let fixture = try RecorderFixture(deadline: .seconds(86_400))
    var phone = RemotePhone("phone", clock: fixture.clock, skew: .seconds(1), drift: 10)
    fixture.plan(4)
    phone.pass(microseconds: 200_000)
    for number in Int64(1)...4 { fixture.send(number) }
    func receipt(_ number: Int64, _ stamp: WallTime) -> ArrivedReceipt {
      ArrivedReceipt(
        id: NotificationID(run: fixture.run, sample: fixture.id(number)), device: "phone",
        arrivedAt: fixture.clock.monotonicNow(), receivedAt: stamp)
    }
    let first = try phone.exchange(out: 5_000, back: 5_000)
    fixture.inbox.receive([receipt(1, phone.stamp)], exchanges: [first]) { _ in }
    _ = try fixture.recorder.round()
    phone.pass(microseconds: 100_000_000)
    // Received, and asked, before the host falls asleep; told after it woke.
    let before = phone.stamp
    let interrupted = try phone.exchange(out: 5_000, back: 5_000)
    fixture.clock.suspend(for: .seconds(10))
    phone.set(by: .seconds(10))
    phone.pass(microseconds: 2_000_000)
    // The recorder learns here that the host slept: nothing from before this is read.
    _ = try fixture.recorder.round()
    phone.pass(microseconds: 100_000)
    let after = phone.stamp
    fixture.inbox.receive([receipt(2, after)], exchanges: [interrupted]) { _ in }
    _ = try fixture.recorder.round()
    let truth = fixture.clock.monotonicNow()
    let second = try phone.exchange(out: 5_000, back: 5_000)
    fixture.inbox.receive([receipt(3, before), receipt(4, after)], exchanges: [second]) { _ in }
    _ = try fixture.recorder.round()
    func sample(_ number: Int64) throws -> Sample {
      try #require(try fixture.reader.sample(fixture.id(number)))
    }
    #expect((try sample(1).deliveryError ?? .max) < 7_000)
    #expect(
      try sample(2).deliveryError == sample(2).deliveryLatency, "only that it was here by now is certain")
    #expect(try sample(3).deliveryError == sample(3).deliveryLatency)
    let last = try sample(4)
    let (latency, error) = (try #require(last.deliveryLatency), try #require(last.deliveryError))
    #expect(error < 7_000)
    #expect(abs(latency - (truth.microseconds - last.plannedMonotonic)) <= error)
    #expect(try fixture.kinds().contains(.suspended))
    #expect(try !fixture.kinds().contains(.clockStep), "nobody set a clock")
  }

  @Test("a batch that is posted again because its answer was lost changes nothing")
  func lostAnswer() throws {
    let fixture = try RecorderFixture()
    var phone = RemotePhone("phone", clock: fixture.clock, skew: .seconds(1), drift: 10)
    fixture.plan(1)
    phone.pass(microseconds: 120_000)
    fixture.send(1)
    let exchange = try phone.exchange(out: 5_000, back: 5_000)
    let receipt = ArrivedReceipt(
      id: NotificationID(run: fixture.run, sample: fixture.id(1)), device: "phone",
      arrivedAt: fixture.clock.monotonicNow(), receivedAt: phone.stamp)
    let outcomes = Outcomes()
    for _ in 0..<3 {
      fixture.inbox.receive([receipt], exchanges: [exchange]) { outcomes.note($0) }
      _ = try fixture.recorder.round()
    }
    #expect(
      outcomes.all == [
        ReceiptOutcome(accepted: 1), ReceiptOutcome(accepted: 1, repeated: 1),
        ReceiptOutcome(accepted: 1, repeated: 1),
      ])
    #expect(try fixture.reader.sample(fixture.id(1))?.duplicates == 0)
    #expect(try fixture.count(of: "clock_exchange") == 1)
    var rows = 0
    try fixture.reader.forEachReceipt(RowSelection()) { _ in rows += 1 }
    #expect(rows == 1)
    #expect(try !fixture.kinds().contains(.duplicate))
    // Another stamp is another receipt.
    var second = receipt
    second.receivedAt = receipt.receivedAt.advanced(byMicroseconds: 1000)
    fixture.inbox.receive([second]) { outcomes.note($0) }
    _ = try fixture.recorder.round()
    #expect(outcomes.all.last == ReceiptOutcome(duplicate: 1))
    #expect(try fixture.reader.sample(fixture.id(1))?.duplicates == 1)
  }

  @Test("a collector that is started again knows the clocks it knew before, unless the host slept meanwhile")
  func restart() throws {
    let fixture = try RecorderFixture(deadline: .seconds(3600))
    var phone = RemotePhone("phone", clock: fixture.clock, skew: .seconds(-40), drift: 300)
    fixture.plan(3)
    phone.pass(microseconds: 200_000)
    for number in Int64(1)...3 { fixture.send(number) }
    func receipt(_ number: Int64) -> ArrivedReceipt {
      ArrivedReceipt(
        id: NotificationID(run: fixture.run, sample: fixture.id(number)), device: "phone",
        arrivedAt: fixture.clock.monotonicNow(), receivedAt: phone.stamp)
    }
    let exchange = try phone.exchange(out: 4_000, back: 2_000)
    fixture.inbox.receive([receipt(1)], exchanges: [exchange]) { _ in }
    _ = try fixture.recorder.round()

    // The collector goes and comes back a minute later: another run, another recorder, the same boot.
    phone.pass(microseconds: 60_000_000)
    let truth = fixture.clock.monotonicNow()
    let second = receipt(2)
    phone.pass(microseconds: 30_000)
    let next = try fixture.restarted()
    #expect(next.known == 1)
    next.inbox.receive([second], exchanges: []) { _ in }
    _ = try next.recorder.round()
    let sample = try #require(try fixture.reader.sample(fixture.id(2)))
    let (latency, error) = (try #require(sample.deliveryLatency), try #require(sample.deliveryError))
    #expect(sample.deliveryCertainty == .bounded)
    // Half a round trip, half a millisecond of the stamp, and 500 ppm of a minute.
    #expect(error < 3_000 + 500 + 30_000 + 100)
    #expect(abs(latency - (truth.microseconds - sample.plannedMonotonic)) <= error)

    // While nobody looked the host slept: its clock stood still, the phone's did not.
    fixture.clock.suspend(for: .seconds(10))
    phone.set(by: .seconds(10))
    phone.pass(microseconds: 1_000_000)
    let third = receipt(3)
    let last = try fixture.restarted()
    last.inbox.receive([third], exchanges: []) { _ in }
    _ = try last.recorder.round()
    #expect(try fixture.reader.sample(fixture.id(3))?.deliveryCertainty == .limit)
  }

  @Test("after the wall clock was set back, the next listener shows later times than the one before")
  func wallSetBack() throws {
    let fixture = try RecorderFixture()
    let shown = fixture.clock.wallNow()
    fixture.clock.advance(by: .seconds(10))
    fixture.clock.stepWall(by: .seconds(-3600))
    let expected = shown.advanced(byMicroseconds: 10_000_000)
    #expect(try fixture.store.latestTimeShown(bootID: "boot") == expected)
    // Of another boot nothing was shown after its last heartbeat.
    #expect(try fixture.store.latestTimeShown(bootID: "another") == shown)
  }

  @Test("exchanges of another boot, and those that are too old, are not taken up")
  func anotherBoot() throws {
    let fixture = try RecorderFixture()
    var phone = RemotePhone("phone", clock: fixture.clock, skew: .seconds(1), drift: 0)
    fixture.plan(1)
    phone.pass(microseconds: 200_000)
    fixture.send(1)
    let exchange = try phone.exchange(out: 4_000, back: 2_000)
    let receipt = ArrivedReceipt(
      id: NotificationID(run: fixture.run, sample: fixture.id(1)), device: "phone",
      arrivedAt: fixture.clock.monotonicNow(), receivedAt: phone.stamp)
    fixture.inbox.receive([receipt], exchanges: [exchange]) { _ in }
    _ = try fixture.recorder.round()
    #expect(try fixture.store.clockExchanges(ofBoot: "boot", within: .seconds(60)).count == 1)
    #expect(try fixture.store.clockExchanges(ofBoot: "another", within: .seconds(60)).isEmpty)
    phone.pass(microseconds: 61_000_000)
    #expect(try fixture.store.clockExchanges(ofBoot: "boot", within: .seconds(60)).isEmpty)
  }

  @Test("posted again before the answer, after it, and after a restart: a batch counts once each time")
  func repostedBatch() throws {
    let fixture = try RecorderFixture(deadline: .seconds(60))
    fixture.plan(3)
    fixture.clock.advance(by: .milliseconds(150))
    for number in Int64(1)...3 { fixture.send(number) }
    func batch(at stamp: Int64) -> [ArrivedReceipt] {
      (Int64(1)...3).map { number in
        ArrivedReceipt(
          id: NotificationID(run: fixture.run, sample: fixture.id(number)), device: "phone",
          arrivedAt: fixture.clock.monotonicNow(), receivedAt: WallTime(microseconds: stamp))
      }
    }
    let outcomes = Outcomes()
    // The device gave up waiting and posted again: both are in the inbox before anything is committed.
    for _ in 0..<2 { fixture.inbox.receive(batch(at: 5000)) { outcomes.note($0) } }
    _ = try fixture.recorder.round()
    fixture.clock.advance(by: .seconds(1))
    fixture.inbox.receive(batch(at: 5000)) { outcomes.note($0) }
    _ = try fixture.recorder.round()
    let next = try fixture.restarted()
    next.inbox.receive(batch(at: 5000)) { outcomes.note($0) }
    _ = try next.recorder.round()
    let again = ReceiptOutcome(accepted: 3, repeated: 3)
    #expect(outcomes.all == [ReceiptOutcome(accepted: 3), again, again, again])
    func duplicates() throws -> [Int] {
      try (Int64(1)...3).map { try #require(try fixture.reader.sample(fixture.id($0))).duplicates }
    }
    #expect(try duplicates() == [0, 0, 0])
    // A notification that reached the device twice has another time, and is a duplicate after a restart as before it.
    next.inbox.receive(batch(at: 6000)) { outcomes.note($0) }
    _ = try next.recorder.round()
    #expect(outcomes.all.last == ReceiptOutcome(duplicate: 3))
    #expect(try duplicates() == [1, 1, 1])
  }

  @Test("whoever invents devices and clocks makes no events and no exchanges without end")
  func clockFlood() throws {
    let fixture = try RecorderFixture()
    fixture.plan(1)
    fixture.clock.advance(by: .milliseconds(150))
    fixture.send(1)
    let receipt = ArrivedReceipt(
      id: NotificationID(run: fixture.run, sample: fixture.id(1)), device: "d",
      arrivedAt: fixture.clock.monotonicNow(), receivedAt: WallTime(microseconds: 1000))
    for number in 0..<3000 {
      fixture.clock.advance(by: .milliseconds(10))
      let now = fixture.clock.monotonicNow()
      // Two names in turn, whose clocks are set all the time, and ever new ones.
      let name = number.isMultiple(of: 3) ? "new \(number)" : "d"
      let stamp = 1_700_000_000_000_000_000 + Int64(number % 7) * 1_000_000_000_000
      let exchange = try #require(ClockExchange(t1: stamp, t2: now, t3: now, t4: stamp + 1000))
      fixture.inbox.receive(
        [receipt],
        exchanges: [DeviceExchange(device: name, bootID: nil, exchange: exchange)]
      ) { _ in }
      if number.isMultiple(of: 50) { _ = try fixture.recorder.round() }
    }
    _ = try fixture.recorder.round()
    let kinds = try fixture.kinds()
    #expect(kinds.filter { $0 == .clockOffset }.count == EventRateLimiter.passedPerWindow)
    #expect(kinds.filter { $0 == .clockStep }.count == EventRateLimiter.passedPerWindow)
    #expect(try fixture.count(of: "clock_exchange") == 1)
  }

  @Test("whoever repeats a receipt with ever new stamps makes no rows without end")
  func duplicateFlood() throws {
    let fixture = try RecorderFixture()
    fixture.plan(1)
    fixture.clock.advance(by: .milliseconds(150))
    fixture.send(1)
    for batch in 0..<10 {
      let receipts = (0..<100).map { number in
        ArrivedReceipt(
          id: NotificationID(run: fixture.run, sample: fixture.id(1)), device: "d\(number)",
          arrivedAt: fixture.clock.monotonicNow(), receivedAt: WallTime(microseconds: Int64(batch) * 1000))
      }
      fixture.inbox.receive(receipts) { _ in }
      _ = try fixture.recorder.round()
    }
    var rows = 0
    try fixture.reader.forEachReceipt(RowSelection()) { _ in rows += 1 }
    #expect(rows == HeardReceipts.maximumCount)
    #expect(try fixture.reader.sample(fixture.id(1))?.duplicates == 999)
    #expect(try fixture.kinds().count <= EventRateLimiter.passedPerWindow)
  }
}

/// What devices were told.
private final class Outcomes: Sendable {
  private let content = Mutex<[ReceiptOutcome]>([])

  var all: [ReceiptOutcome] { content.withLock { $0 } }

  func note(_ outcome: ReceiptOutcome) { content.withLock { $0.append(outcome) } }
}
