import Measurement
import Testing

@testable import Collector
@testable import Transport

@Suite("Ledger")
struct LedgerTests {
  @Test("planned → sent → accepted, with latencies that add up")
  func accepted() throws {
    var fixture = LedgerFixture(deadline: nil)
    fixture.plan(1)
    fixture.commit()
    #expect(fixture.sample(1)?.state == .planned)
    fixture.send(1, at: MonotonicTime(nanoseconds: 1_000_026_999))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .inFlight)
    fixture.answer(1, at: MonotonicTime(nanoseconds: 1_002_500_999))
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.state == .accepted)
    #expect(sample.scheduleLag == 26)
    #expect(sample.serviceTime == 2474)
    #expect(sample.acceptLatency == 2500)
    #expect(sample.status == 200)
    #expect(sample.plannedAt == WallTime(microseconds: 1_700_000_001_000_000))
    #expect(fixture.ledger.openCount == 0)
    #expect(fixture.misplaced.isEmpty)
  }

  @Test(
    "a receipt in time delivers; one after the deadline is late",
    arguments: [(900.0, true), (1000, true), (1000.002, false)])
  func deadline(latency: Double, inTime: Bool) throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    fixture.send(1, at: at(1000))
    fixture.answer(1, at: at(1010))
    let receipt1 = fixture.receive(1, at: at(1000 + latency))
    #expect(receipt1 == .accepted)
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.state == (inTime ? .delivered : .late))
    #expect(sample.deliveryLatency == Int64(latency * 1000))
    #expect(sample.deliveryError == 0)
    #expect(fixture.kinds() == (inTime ? [] : [.late]))
    #expect(fixture.receipts.count == 1)
    #expect(fixture.receipts[0].isSameClock)
  }

  @Test(
    "without a receipt by the deadline it is lost; a receipt makes it delivered or late by when it was received"
  )
  func lost() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(2)
    for sequence in Int64(1)...2 {
      fixture.send(sequence, at: at(1001))
      fixture.answer(sequence, at: at(1010))
    }
    #expect(fixture.ledger.nextDeadline == MonotonicTime(microseconds: 2_000_001))
    fixture.ledger.advance(to: at(2000))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .inFlight)
    fixture.ledger.advance(to: at(2500))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .lost)
    #expect(fixture.sample(2)?.state == .lost)
    #expect(fixture.kinds() == [.lost, .lost])
    #expect(fixture.ledger.openCount == 0)

    fixture.receive(1, at: at(1500), arriving: at(2600))
    fixture.receive(2, at: at(2550), arriving: at(2600))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .delivered)
    #expect(fixture.sample(2)?.state == .late)
    #expect(fixture.sample(1)?.acceptLatency == 10_000)
    #expect(fixture.misplaced.isEmpty)
  }

  @Test("an answer that comes after the receipt deadline still ends in lost")
  func answeredOverdue() {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    fixture.send(1, at: at(1000))
    fixture.ledger.advance(to: at(3000))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .inFlight)
    fixture.answer(1, at: at(3500))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .lost)
  }

  @Test("a receipt may come before the provider's answer, and before we noted the send")
  func receiptFirst() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    fixture.receive(1, at: at(1005))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .delivered)

    var other = LedgerFixture(deadline: .seconds(1))
    other.plan(1)
    other.receive(1, at: at(1005))
    other.send(1, at: at(1001))
    other.answer(1, at: at(1010))
    other.commit()
    let sample = try #require(other.sample(1))
    #expect(sample.state == .delivered)
    #expect(sample.acceptLatency == 10_000)
    #expect(sample.scheduleLag == 1000)
  }

  @Test("an answer that is committed after the receipt still has its latencies")
  func answerAfterTheReceiptsCommit() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    fixture.commit()
    fixture.send(1, at: at(1001))
    fixture.receive(1, at: at(1005))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .delivered)
    #expect(fixture.ledger.openCount == 1)
    fixture.ledger.advance(to: at(5000))
    fixture.answer(1, at: at(5001))
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.state == .delivered)
    #expect(sample.acceptLatency == 4_001_000)
    #expect(sample.serviceTime == 4_000_000)
    #expect(sample.deliveryLatency == 5000)
    #expect(fixture.ledger.openCount == 0)
    #expect(fixture.misplaced.isEmpty)
    #expect(fixture.kinds().isEmpty)
  }

  @Test("a receipt stands against a refusal that comes after it, and the contradiction is kept")
  func refusedAfterTheReceipt() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(2)
    for sequence in Int64(1)...2 {
      fixture.send(sequence, at: at(1001))
      fixture.receive(sequence, at: at(1005 + Double(sequence)))
    }
    fixture.commit()
    fixture.answer(1, at: at(1100), status: 410, reason: "Unregistered")
    fixture.ledger.apply(
      .failed(fixture.id(2), reason: .timeout, attempt: 1, detail: "no answer", at: at(11_000)))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .delivered)
    #expect(fixture.sample(1)?.reason == "Unregistered")
    #expect(fixture.sample(2)?.state == .delivered)
    #expect(fixture.kinds() == [.rejected, .failed])
    #expect(fixture.events.allSatisfy { $0.detail.contains("contradicted by an earlier receipt") })
    #expect(fixture.ledger.openCount == 0)
  }

  @Test("rejected and failed end a notification; a receipt outweighs them and the contradiction is kept")
  func contradiction() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(2)
    fixture.send(1, at: at(1000))
    fixture.answer(1, at: at(1010), status: 400, reason: "BadTopic")
    fixture.send(2, at: at(1001))
    fixture.ledger.apply(
      .failed(fixture.id(2), reason: .timeout, attempt: 1, detail: "no answer in 10 s", at: at(1200)))
    fixture.commit()
    let rejected = try #require(fixture.sample(1))
    #expect(rejected.state == .rejected)
    #expect(rejected.reason == "BadTopic")
    #expect(rejected.acceptLatency == nil)
    #expect(rejected.serviceTime == 10_000)
    #expect(rejected.value(of: .service) == nil)
    #expect(fixture.sample(2)?.state == .failed)
    #expect(fixture.sample(2)?.reason == "timeout")
    #expect(fixture.kinds() == [.rejected, .failed])

    fixture.receive(1, at: at(1300))
    fixture.receive(2, at: at(1301))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .delivered)
    #expect(fixture.sample(2)?.state == .delivered)
    #expect(fixture.events.suffix(2).allSatisfy { $0.detail.contains("contradicted by a receipt") })
    #expect(fixture.kinds().suffix(2) == [.rejected, .failed])
  }

  @Test("what is planned as missed is written once, counted in one event, and not held")
  func missedBlocks() {
    var run = LedgerFixture(deadline: .seconds(30))
    run.plan(2)
    var block = PlannedBlock(
      target: LedgerFixture.target, firstSequence: 3, planned: [at(1002), at(1003), at(1004)])
    block.missed = .lag
    run.ledger.apply(.planned(block))
    run.plan(1, from: at(1005), first: 6)
    let changes = run.ledger.drainChanges()
    #expect(changes.inserted.map(\.id.sequence) == Array(1...6))
    #expect(changes.inserted.map(\.state) == [.planned, .planned, .missed, .missed, .missed, .planned])
    #expect(changes.inserted[2].reason == "lag" && changes.inserted[2].plannedMonotonic == 1_002_000)
    #expect(changes.events.map(\.kind) == [.missed] && changes.events.first?.count == 3)
    #expect(run.ledger.openCount == 3)
    #expect(run.ledger.drainChanges().isEmpty)
  }

  @Test("further receipts are counted and are events, not samples")
  func duplicates() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    fixture.send(1, at: at(1000))
    fixture.answer(1, at: at(1010))
    let receipt2 = fixture.receive(1, at: at(1500))
    #expect(receipt2 == .accepted)
    let receipt3 = fixture.receive(1, at: at(1501), arriving: at(1600))
    #expect(receipt3 == .duplicate)
    fixture.commit()
    let receipt4 = fixture.receive(1, at: at(1700))
    #expect(receipt4 == .duplicate)
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.duplicates == 2)
    #expect(sample.deliveryLatency == 500_000)
    #expect(fixture.kinds() == [.duplicate, .duplicate])
    #expect(fixture.receipts.map(\.isDuplicate) == [false, true, true])
    #expect(fixture.misplaced.isEmpty)
  }

  @Test(
    "a copy of what may not have been acknowledged before a reconnection is no second delivery; a later one is"
  )
  func copies() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(2)
    for sequence in Int64(1)...2 {
      fixture.send(sequence, at: at(1000))
      fixture.answer(sequence, at: at(1010))
      fixture.receive(sequence, at: at(1050))
    }
    let copy = fixture.receive(1, at: at(1500), repeatedSince: at(1400))
    #expect(copy == .repeated)
    let second = fixture.receive(2, at: at(1500), repeatedSince: at(500))
    #expect(second == .duplicate)
    fixture.commit()
    // After a crash it is read from the store.
    let late = fixture.receive(1, at: at(9000), repeatedSince: at(8000))
    #expect(late == .repeated)
    fixture.commit()
    #expect(fixture.sample(1)?.duplicates == 0 && fixture.sample(2)?.duplicates == 1)
    #expect(fixture.receipts.count == 3)
  }

  @Test("the same words again change nothing, in memory or years later")
  func repeated() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(2)
    for sequence in Int64(1)...2 {
      fixture.send(sequence, at: at(1000))
      fixture.answer(sequence, at: at(1010))
    }
    let first = fixture.receive(1, at: at(1500))
    let again = fixture.receive(1, at: at(1500), arriving: at(1501))
    #expect([first, again] == [.accepted, .repeated])
    fixture.commit()
    for step in 0..<3 {
      let later = fixture.receive(1, at: at(1500), arriving: at(9000 + Double(step)))
      #expect(later == .repeated)
      fixture.commit()
    }
    let sample = try #require(fixture.sample(1))
    #expect(sample.state == .delivered)
    #expect(sample.duplicates == 0)
    #expect(fixture.receipts.count == 1)
    #expect(fixture.kinds().isEmpty)
    #expect(fixture.ledger.openCount == 1, "the recalled one is not kept in memory")
  }

  @Test("unknown ids are one counted event a minute, and never a row")
  func unknown() {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    for step in 0..<1000 {
      let disposition = fixture.receive(99, at: at(2000 + Double(step)))
      #expect(disposition == .unknown)
    }
    var generator = SystemRandomNumberGenerator()
    let stranger = RunID(at: WallTime(microseconds: 1), using: &generator)
    let disposition = fixture.ledger.apply(
      ArrivedReceipt(
        id: NotificationID(run: stranger, sample: fixture.id(1)), device: "x", arrivedAt: at(3001),
        receivedAt: WallTime(microseconds: 0)),
      reloaded: fixture.recall(1))
    #expect(disposition == .unknown)
    fixture.commit()
    #expect(fixture.events.isEmpty)
    fixture.ledger.advance(to: at(62_001))
    fixture.commit()
    #expect(fixture.kinds() == [.unknownReceipt])
    #expect(fixture.events.first?.count == 1001)
    #expect(fixture.receipts.isEmpty)
    #expect(fixture.stored.count == 1)
  }

  @Test("received after a later sequence number is out of order")
  func outOfOrder() throws {
    var fixture = LedgerFixture(deadline: .seconds(10))
    fixture.plan(4)
    for sequence in Int64(1)...4 { fixture.send(sequence, at: at(1010)) }
    fixture.receive(2, at: at(1100), arriving: at(1101))
    fixture.receive(1, at: at(1050), arriving: at(1200))
    fixture.receive(4, at: at(1300), arriving: at(1301))
    fixture.receive(3, at: at(1310), arriving: at(1311))
    fixture.commit()
    #expect(fixture.sample(1)?.isOutOfOrder == false, "received first, only reported later")
    #expect(fixture.sample(2)?.isOutOfOrder == false)
    #expect(fixture.sample(3)?.isOutOfOrder == true)
    #expect(fixture.sample(4)?.isOutOfOrder == false)
    #expect(fixture.kinds() == [.outOfOrder])
  }

  @Test("a device on another clock gives an upper bound, marked as such")
  func otherClock() throws {
    var fixture = LedgerFixture(deadline: .seconds(10))
    fixture.plan(1)
    fixture.send(1, at: at(1000))
    fixture.receive(1, at: at(500), arriving: at(1250), boot: "another boot")
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.deliveryLatency == 250_000)
    #expect(sample.deliveryError == 250_000)
    #expect(fixture.receipts[0].isSameClock == false)
  }

  @Test("monotonic stamps that cannot be are not believed", arguments: [999.0, 1251])
  func impossibleStamp(received: Double) throws {
    var fixture = LedgerFixture(deadline: .seconds(10))
    fixture.plan(1)
    fixture.send(1, at: at(1000))
    fixture.receive(1, at: at(received), arriving: at(1250))
    fixture.commit()
    #expect(fixture.sample(1)?.deliveryLatency == 250_000)
    #expect(fixture.sample(1)?.deliveryError == 250_000)
  }

  @Test("closing interrupts what is still open, until a receipt")
  func close() throws {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(3)
    fixture.send(1, at: at(1000))
    fixture.send(2, at: at(1001))
    fixture.answer(2, at: at(1010))
    fixture.ledger.close(at: at(1100))
    fixture.commit()
    #expect((1...2).allSatisfy { fixture.sample($0)?.state == .interrupted })
    #expect(fixture.sample(3) == nil, "its time never came")
    #expect(fixture.kinds() == [.interrupted])
    #expect(fixture.events.first?.count == 2)
    #expect(fixture.ledger.openCount == 0)
    let disposition = fixture.receive(2, at: at(1200))
    #expect(disposition == .accepted)
    fixture.commit()
    #expect(fixture.sample(2)?.state == .delivered)
    #expect(fixture.sample(2)?.acceptLatency == 9000)
  }

  @Test("missed notifications keep their cause")
  func missed() {
    var fixture = LedgerFixture(deadline: .seconds(1))
    fixture.plan(1)
    fixture.ledger.apply(.missed(fixture.id(1), reason: .inFlight, at: at(1001)))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .missed)
    #expect(fixture.sample(1)?.reason == "in_flight")
    #expect(fixture.sample(1)?.scheduleLag == nil)
    #expect(fixture.events.first?.detail == "in_flight")
    #expect(fixture.ledger.openCount == 0)
  }

  @Test("a flood of failures is counted: ten rows a second, then one with the rest")
  func flood() {
    var fixture = LedgerFixture(deadline: nil)
    fixture.plan(500)
    for sequence in Int64(1)...500 {
      fixture.ledger.apply(
        .failed(fixture.id(sequence), reason: .connect, attempt: 0, detail: "refused", at: at(1001)))
    }
    fixture.commit()
    #expect(fixture.events.count == EventRateLimiter.passedPerWindow)
    #expect(fixture.ledger.nextDeadline == at(2001))
    fixture.ledger.advance(to: at(2001))
    fixture.commit()
    #expect(fixture.events.map(\.count).reduce(0, +) == 500)
    #expect(fixture.events.count == EventRateLimiter.passedPerWindow + 1)
    #expect(fixture.stored.values.allSatisfy { $0.state == .failed })
  }

  @Test("every order of the facts ends in the same state")
  func factsCommute() {
    enum Fact: CaseIterable { case sent, accepted, overdue, interrupted, receipt }
    func permutations(_ facts: [Fact]) -> [[Fact]] {
      facts.isEmpty
        ? [[]]
        : facts.indices.flatMap { index in
          var rest = facts
          let first = rest.remove(at: index)
          return permutations(rest).map { [first] + $0 }
        }
    }
    for order in permutations(Fact.allCases) {
      var facts = NotificationProgress()
      for fact in order {
        switch fact {
        case .sent: facts.isSent = true
        case .accepted: facts.answer = .accepted
        case .overdue: facts.isOverdue = true
        case .interrupted: facts.isInterrupted = true
        case .receipt: facts.receipt = .late
        }
      }
      #expect(facts.state(expectsReceipt: true) == .late)
    }
  }

  @Test("a stored row tells enough facts to give its own state back", arguments: NotificationState.allCases)
  func roundTrip(state: NotificationState) {
    var sample = Sample(
      id: SampleID(rawValue: 1), variant: .none, plannedAt: WallTime(microseconds: 0), plannedMonotonic: 0)
    sample.state = state
    if state != .planned, state != .missed { sample.scheduleLag = 5 }
    if state == .interrupted { sample.acceptLatency = 90 }
    let expectsReceipt = state != .accepted
    #expect(NotificationProgress(sample).state(expectsReceipt: expectsReceipt) == state)
  }
}

@Suite("DeliveryOrder")
struct DeliveryOrderTests {
  @Test("agrees with the definition on every order of seven deliveries")
  func exhaustive() {
    func permutations(_ values: [Int64]) -> [[Int64]] {
      values.isEmpty
        ? [[]]
        : values.flatMap { value in permutations(values.filter { $0 != value }).map { [value] + $0 } }
    }
    for arrival in permutations([1, 2, 3, 4, 5, 6, 7]) {
      var order = DeliveryOrder()
      var seen: [Int64] = []
      for (time, sequence) in arrival.enumerated() {
        let expected = seen.contains { $0 > sequence }
        let isOutOfOrder = order.record(sequence: sequence, at: at(Double(time)))
        #expect(isOutOfOrder == expected)
        seen.append(sequence)
      }
    }
  }

  @Test("stays small however long the run, and still judges the newest")
  func bounded() {
    var order = DeliveryOrder()
    for sequence in Int64(1)...100_000 {
      let isOutOfOrder = order.record(sequence: sequence, at: at(Double(sequence)))
      #expect(!isOutOfOrder)
    }
    #expect(order.count <= 2 * DeliveryOrder.window)
    let isOutOfOrder = order.record(sequence: 5, at: at(200_000))
    #expect(isOutOfOrder)
  }
}
