import Measurement
import Testing

@testable import Collector

@Suite("Ledger")
struct LedgerTests {
  @Test("planned → sent → accepted, with latencies that add up")
  func accepted() throws {
    var book = LedgerFixture(deadline: nil)
    book.plan(1)
    book.commit()
    #expect(book.sample(1)?.state == .planned)
    book.send(1, at: MonotonicTime(nanoseconds: 1_000_026_999))
    book.commit()
    #expect(book.sample(1)?.state == .inFlight)
    book.answer(1, at: MonotonicTime(nanoseconds: 1_002_500_999))
    book.commit()
    let sample = try #require(book.sample(1))
    #expect(sample.state == .accepted)
    #expect(sample.scheduleLag == 26)
    #expect(sample.serviceTime == 2474)
    #expect(sample.acceptLatency == 2500)
    #expect(sample.status == 200)
    #expect(sample.plannedAt == WallTime(microseconds: 1_700_000_001_000_000))
    #expect(book.ledger.openCount == 0)
    #expect(book.misplaced.isEmpty)
  }

  @Test(
    "a receipt in time delivers; one after the deadline is late",
    arguments: [(900.0, true), (1000, true), (1000.002, false)])
  func deadline(latency: Double, inTime: Bool) throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    book.send(1, at: at(1000))
    book.answer(1, at: at(1010))
    let receipt1 = book.receive(1, at: at(1000 + latency))
    #expect(receipt1 == .accepted)
    book.commit()
    let sample = try #require(book.sample(1))
    #expect(sample.state == (inTime ? .delivered : .late))
    #expect(sample.deliveryLatency == Int64(latency * 1000))
    #expect(sample.deliveryError == 0)
    #expect(book.kinds() == (inTime ? [] : [.late]))
    #expect(book.receipts.count == 1)
    #expect(book.receipts[0].isSameClock)
  }

  @Test(
    "without a receipt by the deadline it is lost; a receipt makes it delivered or late by when it was received"
  )
  func lost() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(2)
    for sequence in Int64(1)...2 {
      book.send(sequence, at: at(1001))
      book.answer(sequence, at: at(1010))
    }
    #expect(book.ledger.nextDeadline == MonotonicTime(microseconds: 2_000_001))
    book.ledger.advance(to: at(2000))
    book.commit()
    #expect(book.sample(1)?.state == .inFlight)
    book.ledger.advance(to: at(2500))
    book.commit()
    #expect(book.sample(1)?.state == .lost)
    #expect(book.sample(2)?.state == .lost)
    #expect(book.kinds() == [.lost, .lost])
    #expect(book.ledger.openCount == 0)

    book.receive(1, at: at(1500), arriving: at(2600))
    book.receive(2, at: at(2550), arriving: at(2600))
    book.commit()
    #expect(book.sample(1)?.state == .delivered)
    #expect(book.sample(2)?.state == .late)
    #expect(book.sample(1)?.acceptLatency == 10_000)
    #expect(book.misplaced.isEmpty)
  }

  @Test("an answer that comes after the receipt deadline still ends in lost")
  func answeredOverdue() {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    book.send(1, at: at(1000))
    book.ledger.advance(to: at(3000))
    book.commit()
    #expect(book.sample(1)?.state == .inFlight)
    book.answer(1, at: at(3500))
    book.commit()
    #expect(book.sample(1)?.state == .lost)
  }

  @Test("a receipt may come before the provider's answer, and before we noted the send")
  func receiptFirst() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    book.receive(1, at: at(1005))
    book.commit()
    #expect(book.sample(1)?.state == .delivered)

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
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    book.commit()
    book.send(1, at: at(1001))
    book.receive(1, at: at(1005))
    book.commit()
    #expect(book.sample(1)?.state == .delivered)
    #expect(book.ledger.openCount == 1)
    book.ledger.advance(to: at(5000))
    book.answer(1, at: at(5001))
    book.commit()
    let sample = try #require(book.sample(1))
    #expect(sample.state == .delivered)
    #expect(sample.acceptLatency == 4_001_000)
    #expect(sample.serviceTime == 4_000_000)
    #expect(sample.deliveryLatency == 5000)
    #expect(book.ledger.openCount == 0)
    #expect(book.misplaced.isEmpty)
    #expect(book.kinds().isEmpty)
  }

  @Test("a receipt stands against a refusal that comes after it, and the contradiction is kept")
  func refusedAfterTheReceipt() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(2)
    for sequence in Int64(1)...2 {
      book.send(sequence, at: at(1001))
      book.receive(sequence, at: at(1005 + Double(sequence)))
    }
    book.commit()
    book.answer(1, at: at(1100), status: 410, reason: "Unregistered")
    book.ledger.apply(.failed(book.id(2), reason: .timeout, attempt: 1, detail: "no answer", at: at(11_000)))
    book.commit()
    #expect(book.sample(1)?.state == .delivered)
    #expect(book.sample(1)?.reason == "Unregistered")
    #expect(book.sample(2)?.state == .delivered)
    #expect(book.kinds() == [.rejected, .failed])
    #expect(book.events.allSatisfy { $0.detail.contains("contradicted by an earlier receipt") })
    #expect(book.ledger.openCount == 0)
  }

  @Test("rejected and failed end a notification; a receipt outweighs them and the contradiction is kept")
  func contradiction() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(2)
    book.send(1, at: at(1000))
    book.answer(1, at: at(1010), status: 400, reason: "BadTopic")
    book.send(2, at: at(1001))
    book.ledger.apply(
      .failed(book.id(2), reason: .timeout, attempt: 1, detail: "no answer in 10 s", at: at(1200)))
    book.commit()
    let rejected = try #require(book.sample(1))
    #expect(rejected.state == .rejected)
    #expect(rejected.reason == "BadTopic")
    #expect(rejected.acceptLatency == nil)
    #expect(rejected.serviceTime == 10_000)
    #expect(rejected.value(of: .service) == nil)
    #expect(book.sample(2)?.state == .failed)
    #expect(book.sample(2)?.reason == "timeout")
    #expect(book.kinds() == [.rejected, .failed])

    book.receive(1, at: at(1300))
    book.receive(2, at: at(1301))
    book.commit()
    #expect(book.sample(1)?.state == .delivered)
    #expect(book.sample(2)?.state == .delivered)
    #expect(book.events.suffix(2).allSatisfy { $0.detail.contains("contradicted by a receipt") })
    #expect(book.kinds().suffix(2) == [.rejected, .failed])
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
    let changes = run.ledger.takeChanges()
    #expect(changes.inserted.map(\.id.sequence) == Array(1...6))
    #expect(changes.inserted.map(\.state) == [.planned, .planned, .missed, .missed, .missed, .planned])
    #expect(changes.inserted[2].reason == "lag" && changes.inserted[2].plannedMonotonic == 1_002_000)
    #expect(changes.events.map(\.kind) == [.missed] && changes.events.first?.count == 3)
    #expect(run.ledger.openCount == 3)
    #expect(run.ledger.takeChanges().isEmpty)
  }

  @Test("further receipts are counted and are events, not samples")
  func duplicates() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    book.send(1, at: at(1000))
    book.answer(1, at: at(1010))
    let receipt2 = book.receive(1, at: at(1500))
    #expect(receipt2 == .accepted)
    let receipt3 = book.receive(1, at: at(1501), arriving: at(1600))
    #expect(receipt3 == .duplicate)
    book.commit()
    let receipt4 = book.receive(1, at: at(1700))
    #expect(receipt4 == .duplicate)
    book.commit()
    let sample = try #require(book.sample(1))
    #expect(sample.duplicates == 2)
    #expect(sample.deliveryLatency == 500_000)
    #expect(book.kinds() == [.duplicate, .duplicate])
    #expect(book.receipts.map(\.isDuplicate) == [false, true, true])
    #expect(book.misplaced.isEmpty)
  }

  @Test("the same words again change nothing, in memory or years later")
  func repeated() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(2)
    for sequence in Int64(1)...2 {
      book.send(sequence, at: at(1000))
      book.answer(sequence, at: at(1010))
    }
    let first = book.receive(1, at: at(1500))
    let again = book.receive(1, at: at(1500), arriving: at(1501))
    #expect([first, again] == [.accepted, .repeated])
    book.commit()
    for step in 0..<3 {
      let later = book.receive(1, at: at(1500), arriving: at(9000 + Double(step)))
      #expect(later == .repeated)
      book.commit()
    }
    let sample = try #require(book.sample(1))
    #expect(sample.state == .delivered)
    #expect(sample.duplicates == 0)
    #expect(book.receipts.count == 1)
    #expect(book.kinds().isEmpty)
    #expect(book.ledger.openCount == 1, "the recalled one is not kept in memory")
  }

  @Test("unknown ids are one counted event a minute, and never a row")
  func unknown() {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    for step in 0..<1000 {
      let disposition = book.receive(99, at: at(2000 + Double(step)))
      #expect(disposition == .unknown)
    }
    var generator = SystemRandomNumberGenerator()
    let stranger = RunID(at: WallTime(microseconds: 1), using: &generator)
    let disposition = book.ledger.apply(
      ArrivedReceipt(
        id: NotificationID(run: stranger, sample: book.id(1)), device: "x", arrivedAt: at(3001),
        receivedAt: WallTime(microseconds: 0)),
      reloaded: book.recall(1))
    #expect(disposition == .unknown)
    book.commit()
    #expect(book.events.isEmpty)
    book.ledger.advance(to: at(62_001))
    book.commit()
    #expect(book.kinds() == [.unknownReceipt])
    #expect(book.events.first?.count == 1001)
    #expect(book.receipts.isEmpty)
    #expect(book.stored.count == 1)
  }

  @Test("received after a later sequence number is out of order")
  func outOfOrder() throws {
    var book = LedgerFixture(deadline: .seconds(10))
    book.plan(4)
    for sequence in Int64(1)...4 { book.send(sequence, at: at(1010)) }
    book.receive(2, at: at(1100), arriving: at(1101))
    book.receive(1, at: at(1050), arriving: at(1200))
    book.receive(4, at: at(1300), arriving: at(1301))
    book.receive(3, at: at(1310), arriving: at(1311))
    book.commit()
    #expect(book.sample(1)?.isOutOfOrder == false, "received first, only reported later")
    #expect(book.sample(2)?.isOutOfOrder == false)
    #expect(book.sample(3)?.isOutOfOrder == true)
    #expect(book.sample(4)?.isOutOfOrder == false)
    #expect(book.kinds() == [.outOfOrder])
  }

  @Test("a device on another clock gives an upper bound, marked as such")
  func otherClock() throws {
    var book = LedgerFixture(deadline: .seconds(10))
    book.plan(1)
    book.send(1, at: at(1000))
    book.receive(1, at: at(500), arriving: at(1250), boot: "another boot")
    book.commit()
    let sample = try #require(book.sample(1))
    #expect(sample.deliveryLatency == 250_000)
    #expect(sample.deliveryError == 250_000)
    #expect(book.receipts[0].isSameClock == false)
  }

  @Test("monotonic stamps that cannot be are not believed", arguments: [999.0, 1251])
  func impossibleStamp(received: Double) throws {
    var book = LedgerFixture(deadline: .seconds(10))
    book.plan(1)
    book.send(1, at: at(1000))
    book.receive(1, at: at(received), arriving: at(1250))
    book.commit()
    #expect(book.sample(1)?.deliveryLatency == 250_000)
    #expect(book.sample(1)?.deliveryError == 250_000)
  }

  @Test("closing interrupts what is still open, until a receipt")
  func close() throws {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(3)
    book.send(1, at: at(1000))
    book.send(2, at: at(1001))
    book.answer(2, at: at(1010))
    book.ledger.close(at: at(1100))
    book.commit()
    #expect((1...2).allSatisfy { book.sample($0)?.state == .interrupted })
    #expect(book.sample(3) == nil, "its time never came")
    #expect(book.kinds() == [.interrupted])
    #expect(book.events.first?.count == 2)
    #expect(book.ledger.openCount == 0)
    let disposition = book.receive(2, at: at(1200))
    #expect(disposition == .accepted)
    book.commit()
    #expect(book.sample(2)?.state == .delivered)
    #expect(book.sample(2)?.acceptLatency == 9000)
  }

  @Test("missed notifications keep their cause")
  func missed() {
    var book = LedgerFixture(deadline: .seconds(1))
    book.plan(1)
    book.ledger.apply(.missed(book.id(1), reason: .inFlight, at: at(1001)))
    book.commit()
    #expect(book.sample(1)?.state == .missed)
    #expect(book.sample(1)?.reason == "in_flight")
    #expect(book.sample(1)?.scheduleLag == nil)
    #expect(book.events.first?.detail == "in_flight")
    #expect(book.ledger.openCount == 0)
  }

  @Test("a flood of failures is counted: ten rows a second, then one with the rest")
  func flood() {
    var book = LedgerFixture(deadline: nil)
    book.plan(500)
    for sequence in Int64(1)...500 {
      book.ledger.apply(
        .failed(book.id(sequence), reason: .connect, attempt: 0, detail: "refused", at: at(1001)))
    }
    book.commit()
    #expect(book.events.count == EventRateLimiter.passedPerWindow)
    #expect(book.ledger.nextDeadline == at(2001))
    book.ledger.advance(to: at(2001))
    book.commit()
    #expect(book.events.map(\.count).reduce(0, +) == 500)
    #expect(book.events.count == EventRateLimiter.passedPerWindow + 1)
    #expect(book.stored.values.allSatisfy { $0.state == .failed })
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
        let isOutOfOrder = order.note(sequence: sequence, at: at(Double(time)))
        #expect(isOutOfOrder == expected)
        seen.append(sequence)
      }
    }
  }

  @Test("stays small however long the run, and still judges the newest")
  func bounded() {
    var order = DeliveryOrder()
    for sequence in Int64(1)...100_000 {
      let isOutOfOrder = order.note(sequence: sequence, at: at(Double(sequence)))
      #expect(!isOutOfOrder)
    }
    #expect(order.count <= 2 * DeliveryOrder.window)
    let isOutOfOrder = order.note(sequence: 5, at: at(200_000))
    #expect(isOutOfOrder)
  }
}
