import Measurement
import Testing

@testable import Collector
@testable import Transport

/// Every planned notification ends in one state, whatever comes in whatever order: the ledger against a plain
/// account of what was told to it.
@Suite("Accounting")
struct AccountingTests {
  private enum Answer: CaseIterable { case none, accepted, rejected, failed }

  /// What happens to one notification.
  private struct ScriptedOutcome {
    var isMissed = false
    var answer = Answer.none
    /// Milliseconds from planned; the first is the one that counts by arrival.
    var receipts: [(receivedAt: Double, arrivesAt: Double)] = []
  }

  private enum Step {
    case sent, answered, missed, receipt(received: Double), repetition(received: Double)
  }

  private static let deadline = 1000.0

  private static func fate(_ random: inout SeededGenerator) -> ScriptedOutcome {
    var fate = ScriptedOutcome()
    if random.unit() < 0.1 {
      fate.isMissed = true
      return fate
    }
    fate.answer = Answer.allCases[Int(random.unit() * 4)]
    // In time, late, before the answer, long after the deadline, some of them several times.
    let count = [0, 1, 1, 1, 2, 3][Int(random.unit() * 6)]
    for _ in 0..<count {
      let received = 1 + random.unit() * (random.unit() < 0.7 ? 800 : 4000)
      fate.receipts.append((received, received + random.unit() * 2000))
    }
    return fate
  }

  @Test("states, duplicates and order agree with what was told", arguments: 0..<30)
  func agrees(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &+ 1)
    let count: Int64 = 300
    var fixture = LedgerFixture(deadline: .milliseconds(Int(Self.deadline)))
    fixture.plan(Int(count))
    var steps: [(at: Double, number: Int64, step: Step)] = []
    var fates: [Int64: ScriptedOutcome] = [:]
    for number in 1...count {
      let fate = Self.fate(&random)
      fates[number] = fate
      let planned = 1000 + Double(number - 1)
      if fate.isMissed {
        steps.append((planned + random.unit(), number, .missed))
        continue
      }
      // Notes of the send may be handed on after the receipt that it caused.
      steps.append((planned + random.unit() * 40, number, .sent))
      if fate.answer != .none { steps.append((planned + 40 + random.unit() * 3000, number, .answered)) }
      for receipt in fate.receipts {
        steps.append((planned + receipt.arrivesAt, number, .receipt(received: planned + receipt.receivedAt)))
        if random.unit() < 0.3 {
          let again = planned + receipt.arrivesAt + random.unit() * 3000
          steps.append((again, number, .repetition(received: planned + receipt.receivedAt)))
        }
      }
    }
    steps.sort { $0.at < $1.at }

    var expected: [Int64: (state: NotificationState, duplicates: Int)] = [:]
    var outOfOrder: Set<Int64> = []
    var received: [(number: Int64, at: Double)] = []
    var unknown = 0
    var forged = 0
    for (time, number, step) in steps {
      switch step {
      case .sent: fixture.send(number, at: at(time))
      case .missed: fixture.ledger.apply(.missed(fixture.id(number), reason: .lag, at: at(time)))
      case .answered:
        switch fates[number]?.answer {
        case .accepted: fixture.answer(number, at: at(time))
        case .rejected: fixture.answer(number, at: at(time), status: 400, reason: "BadTopic")
        default:
          fixture.ledger.apply(
            .failed(fixture.id(number), reason: .timeout, attempt: 1, detail: "", at: at(time)))
        }
      case .receipt(let instant):
        let disposition = fixture.receive(number, at: at(instant), arriving: at(time))
        if let known = expected[number] {
          #expect(disposition == .duplicate)
          expected[number]?.duplicates = known.duplicates + 1
        } else {
          #expect(disposition == .accepted)
          let latency = at(instant).microseconds - (1_000_000 + (number - 1) * 1000)
          expected[number] = (latency <= Int64(Self.deadline * 1000) ? .delivered : .late, 0)
          if received.contains(where: { $0.number > number && $0.at < instant }) { outOfOrder.insert(number) }
          received.append((number, instant))
        }
      case .repetition(let instant):
        let disposition = fixture.receive(number, at: at(instant), arriving: at(time))
        #expect(disposition == .repeated)
      }
      if random.unit() < 0.05 {
        let disposition = fixture.receive(count + 5, at: at(time))
        #expect(disposition == .unknown)
        unknown += 1
      }
      if random.unit() < 0.05 {
        fixture.ledger.recordRefused(.forgedReceipt, count: 3, detail: "wrong MAC", at: at(time))
        forged += 3
      }
      if random.unit() < 0.2 { fixture.ledger.advance(to: at(time)) }
      if random.unit() < 0.2 { fixture.commit() }
    }
    fixture.ledger.advance(to: at(20_000))
    fixture.commit()
    fixture.ledger.close(at: at(20_000))
    fixture.commit()

    #expect(fixture.stored.count == Int(count))
    for (number, fate) in fates {
      let sample = try #require(fixture.sample(number))
      let final: NotificationState =
        if let told = expected[number] {
          told.state
        } else if fate.isMissed {
          .missed
        } else {
          switch fate.answer {
          case .none: .interrupted
          case .accepted: .lost
          case .rejected: .rejected
          case .failed: .failed
          }
        }
      #expect(sample.state == final, "notification \(number)")
      #expect(sample.state.isSettled)
      #expect(sample.duplicates == expected[number]?.duplicates ?? 0)
      #expect(sample.isOutOfOrder == outOfOrder.contains(number))
      #expect((sample.acceptLatency != nil) == (fate.answer == .accepted), "notification \(number)")
    }
    #expect(fixture.misplaced.isEmpty)
    func total(_ kind: EventKind) -> Int {
      fixture.events.filter { $0.kind == kind }.map(\.count).reduce(0, +)
    }
    func rows(_ kind: EventKind) -> Int { fixture.events.filter { $0.kind == kind }.count }
    #expect(total(.unknownReceipt) == unknown)
    #expect(total(.forgedReceipt) == forged)
    #expect(rows(.unknownReceipt) <= 1 && rows(.forgedReceipt) <= 1)
    #expect(total(.duplicate) == expected.values.map(\.duplicates).reduce(0, +))
    #expect(total(.outOfOrder) == outOfOrder.count)
    #expect(total(.missed) == fates.values.filter(\.isMissed).count)
    let rowsOfReceipts = expected.values.map { $0.duplicates + 1 }.reduce(0, +)
    #expect(fixture.receipts.count == rowsOfReceipts)
  }
}
