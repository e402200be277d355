import Measurement
import Testing

@testable import Collector
@testable import Store

/// Receipts that say more than that a notification arrived.
@Suite struct StagesTests {
  /// What one post of a device says beside the arrival.
  private enum Part: CaseIterable { case nothing, shown, opened, provider, context }

  private static let received = WallTime(microseconds: 1_700_000_001_300_000)

  private static func receipt(_ fixture: LedgerFixture, _ parts: [Part], arriving: Double) -> ArrivedReceipt {
    var receipt = ArrivedReceipt(
      id: NotificationID(run: fixture.run, sample: fixture.id(1)), device: "phone", arrivedAt: at(arriving),
      receivedAt: received, bootID: LedgerFixture.boot, receivedMonotonic: at(1300))
    for part in parts {
      switch part {
      case .nothing: break
      case .shown: receipt.stages.shownAt = received.advanced(byMicroseconds: 250_000)
      case .opened: receipt.stages.openedAt = received.advanced(byMicroseconds: 900_000)
      case .provider: receipt.stages.providerAt = received.advanced(byMicroseconds: -400_000)
      case .context:
        var context = DeviceContext()
        context[.network] = "cellular"
        receipt.context = context
      }
    }
    return receipt
  }

  /// A notification that was planned at 1 s and accepted.
  private static func sent(reportsDisplay: Bool = false) -> LedgerFixture {
    var fixture = LedgerFixture(deadline: .seconds(2))
    fixture.ledger.adopt(
      LedgerTarget(id: LedgerFixture.target, receiptDeadline: 2_000_000, reportsDisplay: reportsDisplay))
    fixture.plan(1)
    fixture.send(1, at: at(1001))
    fixture.answer(1, at: at(1020))
    fixture.commit()
    return fixture
  }

  private static func permutations<Value>(_ values: [Value]) -> [[Value]] {
    guard values.count > 1 else { return [values] }
    return values.indices.flatMap { index in
      var rest = values
      let value = rest.remove(at: index)
      return permutations(rest).map { [value] + $0 }
    }
  }

  @Test("posts in every order and number give the same row and the same receipt")
  func permutations() throws {
    // Each part by itself; then some twice, and several in one post.
    let posts: [[[Part]]] =
      Self.permutations(Part.allCases.map { [$0] })
      + Self.permutations([[.shown, .context], [.shown], [.opened, .provider], [.opened]])
      + [[[.shown, .opened, .provider, .context]]]
    var whole: (sample: Sample, receipts: [Receipt])?
    for (number, parts) in posts.enumerated() {
      var fixture = Self.sent()
      for (place, parts) in parts.enumerated() {
        let receipt = Self.receipt(fixture, parts, arriving: 2600 + Double(place))
        let known = fixture.ledger.holds(fixture.id(1)) ? nil : fixture.recall(1)
        let disposition = fixture.ledger.apply(receipt, reloaded: known)
        #expect(disposition == .accepted || disposition == .repeated)
        // At some place the notification leaves memory, and comes back from the store.
        if place == number % 4 { fixture.commit() }
      }
      fixture.commit()
      let sample = try #require(fixture.sample(1))
      #expect(sample.state == .delivered && sample.duplicates == 0)
      #expect(sample.shownLatency == 550_000 && sample.display == .shown && sample.context?.rawValue == 1)
      #expect(fixture.receipts.count(where: \.isAddition) == fixture.receipts.count - 1)
      #expect(fixture.receipts.count <= HeardReceipts.rowsOfEach)
      var receipts = ReceiptParts.joined(fixture.receipts)
      #expect(receipts.count == 1)
      // The first row says when the receipt came.
      receipts[0].arrivedAt = Self.received
      if let whole {
        #expect(sample == whole.sample && receipts == whole.receipts, "\(parts)")
      } else {
        whole = (sample, receipts)
      }
    }
    let stages = try #require(whole?.receipts.first?.stages)
    #expect(stages.shownAt == Self.received.advanced(byMicroseconds: 250_000))
    #expect(stages.openedAt != nil && stages.providerAt != nil)
  }

  @Test func aKnownStageKeepsItsFirstValue() throws {
    var fixture = Self.sent()
    #expect(fixture.ledger.apply(Self.receipt(fixture, [.shown], arriving: 1600)) == .accepted)
    var later = Self.receipt(fixture, [.shown], arriving: 1700)
    later.stages.shownAt = Self.received.advanced(byMicroseconds: 700_000)
    #expect(fixture.ledger.apply(later) == .repeated)
    fixture.commit()
    #expect(fixture.sample(1)?.shownLatency == 550_000)
    #expect(fixture.receipts.count == 1)
  }

  @Test("a stage before the arrival is left out, and said; the receipt counts")
  func beforeTheArrival() throws {
    var fixture = Self.sent()
    var receipt = Self.receipt(fixture, [.opened], arriving: 1600)
    receipt.stages.shownAt = Self.received.advanced(byMicroseconds: -1000)
    #expect(fixture.ledger.apply(receipt) == .accepted)
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.state == .delivered && sample.shownLatency == nil && sample.display == nil)
    #expect(fixture.receipts[0].stages.openedAt != nil && fixture.receipts[0].stages.shownAt == nil)
    // It is counted, since a device may repeat it.
    fixture.ledger.advance(to: at(1_000_000))
    fixture.commit()
    #expect(fixture.kinds() == [.malformedReceipt])
  }

  @Test("a display that is later than the receipt that tells of it is left out, and said")
  func afterTheReceipt() throws {
    var fixture = Self.sent()
    var receipt = Self.receipt(fixture, [.shown], arriving: 1600)
    receipt.stages.shownAt = Self.received.advanced(byMicroseconds: 3_600_000_000)
    #expect(fixture.ledger.apply(receipt) == .accepted)
    fixture.ledger.advance(to: at(1_000_000))
    fixture.commit()
    #expect(fixture.sample(1)?.state == .delivered && fixture.sample(1)?.shownLatency == nil)
    #expect(fixture.kinds() == [.malformedReceipt])
  }

  @Test("what is not shown counts as unseen once its device has shown one")
  func unseen() throws {
    var fixture = LedgerFixture(deadline: .seconds(2))
    fixture.plan(4)
    for sequence in 1...4 as ClosedRange<Int64> {
      fixture.send(sequence, at: at(1005))
      fixture.answer(sequence, at: at(1020))
      var receipt = ArrivedReceipt(
        id: NotificationID(run: fixture.run, sample: fixture.id(sequence)), device: "phone",
        arrivedAt: at(sequence == 4 ? 3150 : 1500), receivedAt: Self.received, bootID: LedgerFixture.boot,
        receivedMonotonic: at(1300))
      switch sequence {
      case 2: receipt.stages.shownAt = Self.received
      case 4: receipt.stages.shownAt = Self.received.advanced(byMicroseconds: 1_800_000)
      default: break
      }
      _ = fixture.ledger.apply(receipt)
    }
    fixture.commit()
    #expect((1...4).map { fixture.sample($0)?.display } == [nil, .shown, .awaited, .shownLate])
    #expect(fixture.ledger.openCount == 1, "until its deadline it may still be shown")
    fixture.ledger.advance(to: at(3_500))
    fixture.commit()
    #expect((1...4).map { fixture.sample($0)?.display } == [nil, .shown, .unseen, .shownLate])
    #expect(fixture.ledger.openCount == 0)
    #expect(fixture.sample(4)?.shownLatency == 2_097_000, "its time is known all the same")
  }

  @Test func ofWhatCameTooLateNothingIsExpected() throws {
    var fixture = Self.sent(reportsDisplay: true)
    fixture.ledger.advance(to: at(4000))
    var receipt = Self.receipt(fixture, [.shown], arriving: 4350)
    receipt.receivedMonotonic = at(4050)
    let known = fixture.ledger.holds(fixture.id(1)) ? nil : fixture.recall(1)
    #expect(fixture.ledger.apply(receipt, reloaded: known) == .accepted)
    fixture.commit()
    #expect(fixture.sample(1)?.state == .late && fixture.sample(1)?.display == nil)
    #expect(fixture.sample(1)?.shownLatency == 3_300_000)
  }

  @Test("of a further receipt the stages stay with it")
  func furtherReceipts() throws {
    var fixture = Self.sent()
    #expect(fixture.ledger.apply(Self.receipt(fixture, [], arriving: 1600)) == .accepted)
    var other = Self.receipt(fixture, [.shown, .context], arriving: 1700)
    other.device = "tablet"
    #expect(fixture.ledger.apply(other, reloaded: fixture.recall(1)) == .duplicate)
    fixture.commit()
    let sample = try #require(fixture.sample(1))
    #expect(sample.shownLatency == nil && sample.display == nil && sample.context == nil)
    #expect(fixture.receipts.last?.stages.shownAt != nil && fixture.receipts.last?.contextID != nil)
    // The first one still may say more.
    #expect(
      fixture.ledger.apply(Self.receipt(fixture, [.shown], arriving: 1800), reloaded: fixture.recall(1))
        == .accepted)
    fixture.commit()
    #expect(fixture.sample(1)?.shownLatency == 550_000)
  }

  @Test("of a notification of an earlier run it is not said whether it was shown")
  func earlierRuns() throws {
    var fixture = Self.sent()
    fixture.ledger.advance(to: at(4000))
    fixture.commit()
    var later = LedgerFixture(deadline: .seconds(2))
    later.ledger.adopt(
      LedgerTarget(id: LedgerFixture.target, receiptDeadline: 2_000_000, reportsDisplay: true))
    let receipt = Self.receipt(fixture, [.shown], arriving: 5000)
    #expect(later.ledger.apply(receipt, reloaded: fixture.recall(1)) == .accepted)
    later.commit()
    let sample = try #require(later.sample(1))
    #expect(sample.state == .delivered && sample.shownLatency == 550_000 && sample.display == nil)
  }

  @Test func circumstancesAreNumberedOnce() {
    var table = DeviceContextTable()
    var stored: [StoredDeviceContext] = []
    var context = DeviceContext()
    context[.network] = "wifi"
    let first = table.id(of: context) { stored.append($0) }
    context[.os] = "a"
    let second = table.id(of: context) { stored.append($0) }
    #expect(table.id(of: context) { stored.append($0) } == second && first != second && stored.count == 2)
    for number in 0..<DeviceContextTable.maximumCount {
      context[.os] = "\(number)"
      _ = table.id(of: context) { stored.append($0) }
    }
    #expect(stored.count == DeviceContextTable.maximumCount)
    #expect(table.id(of: context) { _ in Issue.record("stored") } == first, "too many: without its text")
    var again = DeviceContextTable(Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0.context) }))
    context[.os] = "0"
    #expect(again.id(of: context) { _ in Issue.record("stored") } != nil)
  }
}
