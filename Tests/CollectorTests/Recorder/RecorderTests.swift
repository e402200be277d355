import Configuration
import Foundation
import GRDB
import Measurement
import Store
import Synchronization
import TestKit
import Testing

@testable import Collector
@testable import Transport

/// A recorder on a real store in a directory of its own, stepped by hand.
final class RecorderFixture {
  let directory: TemporaryDirectory
  let clock = SteppedHostClock(
    monotonic: MonotonicTime(microseconds: 5_000_000), wall: WallTime(microseconds: 1_700_000_000_000_000))
  let store: CollectorStore
  let reader: StoreReader
  let run: RunID
  let target: TargetID
  let inbox: RecorderInbox
  let recorder: Recorder
  /// Blocks that were said to be committed, with how many of their rows a reader saw at that moment.
  let committed = CommittedBlocks()

  init(deadline: Duration? = .seconds(1)) throws {
    directory = try TemporaryDirectory("recorder")
    let path = directory.file("store.sqlite")
    store = try CollectorStore.open(at: path, clock: clock, options: CollectorStoreOptions(bootID: "boot"))
    var generator = SystemRandomNumberGenerator()
    let id = RunID(at: clock.wallNow(), using: &generator)
    run = id
    inbox = try RecorderInbox()
    let registration = try store.beginRun(
      RunDescription(
        id: id, name: nil, startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(), bootID: "boot",
        targets: [
          TargetDescription(
            name: "a", provider: "http", receiptDeadline: deadline?.microseconds, askedRate: 1, variants: [])
        ]))
    let target = try #require(registration["a"]).id
    self.target = target
    let reader = try StoreReader.open(at: path)
    self.reader = reader
    let committed = committed
    recorder = Recorder(
      run: id, bootID: "boot", targets: [LedgerTarget(id: target, receiptDeadline: deadline?.microseconds)],
      store: store, inbox: inbox, clock: clock,
      onCommitted: { block in
        let visible = (try? reader.lastPoints(of: [target], limit: 1000).points.count) ?? -1
        committed.note(block, visible: visible)
      })
  }

  /// The rows of a table.
  func count(of table: String) throws -> Int {
    try DatabaseQueue(path: directory.file("store.sqlite")).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0
    }
  }

  /// A recorder of another run on the same store and boot, as a collector has that was started again.
  struct Restarted {
    let inbox: RecorderInbox
    let recorder: Recorder
    /// Exchanges that it took over.
    let known: Int
  }

  func restarted() throws -> Restarted {
    var generator = SystemRandomNumberGenerator()
    let next = RunID(at: clock.wallNow(), using: &generator)
    let registration = try store.beginRun(
      RunDescription(
        id: next, name: nil, startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(),
        bootID: "boot",
        targets: [
          TargetDescription(name: "a", provider: "http", receiptDeadline: 1_000_000, askedRate: 1)
        ]))
    let known = try store.clockExchanges(ofBoot: "boot", within: DeviceClock.reach)
    let inbox = try RecorderInbox()
    let recorder = Recorder(
      run: next, bootID: "boot",
      targets: registration.targets.map { LedgerTarget(id: $0.id, receiptDeadline: 1_000_000) },
      store: store, inbox: inbox, clock: clock, known: known, onCommitted: { _ in })
    return Restarted(inbox: inbox, recorder: recorder, known: known.count)
  }

  deinit {
    store.close()
  }

  func id(_ sequence: Int64) -> SampleID { SampleID(target: target, sequence: sequence) }

  func plan(_ count: Int, first: Int64 = 1) {
    let now = clock.monotonicNow()
    inbox.post([
      .planned(
        PlannedBlock(
          target: target, firstSequence: first, planned: (0..<count).map { now + .milliseconds(100 + $0) }))
    ])
  }

  func send(_ sequence: Int64, answered: Bool = true) {
    let now = clock.monotonicNow()
    inbox.post([.sent(SentRequest(id: id(sequence), at: now, payloadBytes: 10))])
    guard answered else { return }
    inbox.post([
      .answered(
        AnsweredRequest(
          id: id(sequence), at: now + .milliseconds(3), source: .kernel, status: 200, isAccepted: true))
    ])
  }

  func state(_ sequence: Int64) throws -> NotificationState? { try reader.sample(id(sequence))?.state }

  func kinds() throws -> [EventKind] {
    try reader.changes(Event.self, after: 0, limit: 1000).rows.map(\.event.kind)
  }
}

/// Blocks that were said to be committed.
final class CommittedBlocks: Sendable {
  private let blocks = Mutex<[(block: PlannedBlock, visible: Int)]>([])

  var all: [(block: PlannedBlock, visible: Int)] { blocks.withLock { $0 } }

  func note(_ block: PlannedBlock, visible: Int) { blocks.withLock { $0.append((block, visible)) } }
}

@Suite("Recorder")
struct RecorderTests {
  @Test("a block is acknowledged only when its rows are in the store")
  func committedFirst() throws {
    let fixture = try RecorderFixture()
    fixture.plan(5)
    #expect(fixture.committed.all.isEmpty)
    #expect(try fixture.recorder.round() == .pause(Recorder.shortestRound))
    #expect(fixture.committed.all.map(\.block.lastSequence) == [5])
    #expect(fixture.committed.all.map(\.visible) == [5])
    #expect(try fixture.state(5) == .planned)
  }

  @Test("answered PINGs and the path and the provider's id of an answer are stored")
  func path() throws {
    let fixture = try RecorderFixture()
    fixture.plan(2)
    let now = fixture.clock.monotonicNow()
    fixture.inbox.post([
      .pinged(AnsweredPing(target: fixture.target, connectionID: 7, at: now, roundTrip: 42)),
      .sent(SentRequest(id: fixture.id(1), at: now, payloadBytes: 10)),
      .answered(
        AnsweredRequest(
          id: fixture.id(1), at: now + .milliseconds(3), source: .kernel, status: 200, isAccepted: true,
          path: 42, peerAck: 31, answerID: "0:15%b1")),
    ])
    #expect(try fixture.recorder.round() == .pause(Recorder.shortestRound))
    let wall = fixture.clock.wallNow()
    #expect(
      try fixture.reader.pings(of: [fixture.target], in: wall..<wall.advanced(byMicroseconds: 1))
        == [PingAnswer(target: fixture.target, connectionID: 7, at: wall, roundTrip: 42)])
    let sample = try #require(try fixture.reader.sample(fixture.id(1)))
    #expect(sample.path == 42 && sample.peerAck == 31)
    #expect(sample.answerID == "0:15%b1")
    #expect(try fixture.reader.sample(fixture.id(2))?.path == nil)
  }

  @Test("a device is answered only when its receipts are in the store")
  func answeredAfterCommit() throws {
    let fixture = try RecorderFixture()
    fixture.plan(2)
    fixture.send(1)
    _ = try fixture.recorder.round()
    let answer = Answer()
    let reader = fixture.reader
    let (first, unknown) = (fixture.id(1), fixture.id(9))
    let receipts = [first, first, unknown].enumerated().map { place, id in
      ArrivedReceipt(
        id: NotificationID(run: fixture.run, sample: id), device: "d",
        arrivedAt: fixture.clock.monotonicNow() + .milliseconds(400),
        receivedAt: fixture.clock.wallNow(), bootID: "boot",
        receivedMonotonic: fixture.clock.monotonicNow() + .milliseconds(300 + place))
    }
    fixture.inbox.receive(receipts) { outcome in
      answer.give(outcome, seen: try? reader.sample(first)?.state)
    }
    #expect(answer.outcome == nil)
    fixture.clock.advance(by: .milliseconds(500))
    _ = try fixture.recorder.round()
    #expect(answer.outcome == ReceiptOutcome(accepted: 1, duplicate: 1, unknown: 1))
    #expect(answer.seen == .delivered)
    #expect(try fixture.reader.sample(first)?.duplicates == 1)
  }

  @Test("a receipt for a notification that left memory is found in the store")
  func recalled() throws {
    let fixture = try RecorderFixture()
    fixture.plan(1)
    fixture.send(1)
    _ = try fixture.recorder.round()
    fixture.clock.advance(by: .seconds(3))
    _ = try fixture.recorder.round()
    #expect(try fixture.state(1) == .lost)
    #expect(fixture.recorder.openCount == 0)
    fixture.inbox.receive([
      ArrivedReceipt(
        id: NotificationID(run: fixture.run, sample: fixture.id(1)), device: "d",
        arrivedAt: fixture.clock.monotonicNow(),
        receivedAt: fixture.clock.wallNow(), bootID: "boot", receivedMonotonic: fixture.clock.monotonicNow())
    ]) { _ in }
    _ = try fixture.recorder.round()
    #expect(try fixture.state(1) == .late)
    #expect(try fixture.kinds() == [.lost, .late])
  }

  @Test("wall-clock steps and suspends become events, and later rows bear the new time")
  func clocks() throws {
    let fixture = try RecorderFixture()
    fixture.plan(1)
    _ = try fixture.recorder.round()
    let before = try #require(try fixture.reader.sample(fixture.id(1))).plannedAt
    fixture.clock.advance(by: .seconds(2))
    fixture.clock.stepWall(by: .seconds(-3600))
    _ = try fixture.recorder.round()
    fixture.clock.advance(by: .seconds(2))
    fixture.clock.suspend(for: .seconds(600))
    _ = try fixture.recorder.round()
    #expect(try fixture.kinds() == [.clockStep, .suspended])
    fixture.plan(1, first: 2)
    _ = try fixture.recorder.round()
    let after = try #require(try fixture.reader.sample(fixture.id(2)))
    #expect(after.plannedAt.microseconds - before.microseconds == (4 - 3600 + 600) * 1_000_000)
    #expect(try fixture.count(of: "anchor") >= 3)
  }

  @Test("closing waits for what is open, at most until its deadline; plans that were never due go")
  func closing() throws {
    let fixture = try RecorderFixture(deadline: .seconds(60))
    fixture.plan(3)
    fixture.send(1)
    _ = try fixture.recorder.round()
    let sendingEnded = fixture.clock.monotonicNow()
    fixture.inbox.close(by: sendingEnded + .seconds(2))
    #expect(try fixture.recorder.round() != .closed)
    fixture.clock.advance(by: .seconds(2))
    #expect(try fixture.recorder.round() == .closed)
    try fixture.store.endRun(
      fixture.run, at: fixture.clock.wallNow(), reason: .stopped, sendingEnded: sendingEnded)
    #expect(try fixture.state(1) == .interrupted)
    #expect(try fixture.state(2) == nil)
    let record = try #require(try fixture.reader.run(fixture.run))
    #expect(record.counts.planned == 1)
    #expect(record.counts[.interrupted] == 1)
  }

  @Test("of several closing deadlines the earliest holds")
  func closingEarlier() throws {
    let fixture = try RecorderFixture(deadline: .seconds(60))
    fixture.plan(1)
    fixture.send(1)
    let now = fixture.clock.monotonicNow()
    fixture.inbox.close(by: now + .seconds(60))
    _ = try fixture.recorder.round()
    fixture.inbox.close(by: now + .seconds(2))
    fixture.inbox.close(by: now + .seconds(50))
    fixture.clock.advance(by: .seconds(2))
    #expect(try fixture.recorder.round() == .closed)
  }

  @Test("an end says what is waited for, and for how long at most")
  func ending() throws {
    let fixture = try RecorderFixture(deadline: .seconds(60))
    fixture.plan(5)
    fixture.send(1)
    fixture.send(2, answered: false)
    fixture.send(3, answered: false)
    fixture.inbox.announce(RecorderInbox.Ending(reason: "told to stop", atMost: .milliseconds(1500)))
    _ = try fixture.recorder.round()
    let nothing = try RecorderFixture()
    nothing.inbox.announce(RecorderInbox.Ending(reason: "told to stop", atMost: .seconds(60)))
    _ = try nothing.recorder.round()
    func lines(_ fixture: RecorderFixture) throws -> [String] {
      try fixture.reader.changes(LogLine.self, after: 0, limit: 10).rows.map(\.line.message)
    }
    #expect(try lines(fixture) == ["told to stop: waiting at most 1.5 s for 2 answers and 1 receipt"])
    #expect(try lines(nothing) == ["told to stop: nothing is under way"])
  }

  @Test("a quiet run still says that it lives")
  func heartbeat() throws {
    let fixture = try RecorderFixture()
    _ = try fixture.recorder.round()
    let first = try fixture.reader.run(fixture.run)?.lastHeartbeat
    fixture.clock.advance(by: Recorder.heartbeat)
    _ = try fixture.recorder.round()
    let second = try fixture.reader.run(fixture.run)?.lastHeartbeat
    #expect(second != first)
  }

  @Test("refused requests are one counted event a minute")
  func refused() throws {
    let fixture = try RecorderFixture()
    for _ in 0..<500 { fixture.inbox.refused(ReceiptRefusal(.wrongMAC, source: "127.0.0.1")) }
    for _ in 0..<300 { fixture.inbox.refused(ReceiptRefusal(.malformed, source: "127.0.0.2")) }
    _ = try fixture.recorder.round()
    fixture.clock.advance(by: .seconds(61))
    _ = try fixture.recorder.round()
    let events = try fixture.reader.changes(Event.self, after: 0, limit: 10).rows
    let counts = Dictionary(events.map { ($0.event.kind, $0.event.count) }) { $0 + $1 }
    #expect(counts == [.forgedReceipt: 500, .malformedReceipt: 300])
    #expect(events.count == 2)
    #expect(events.contains { $0.event.detail == "malformed request, last from 127.0.0.2" })
  }

  @Test("failed handshakes are an event a minute by alert, and a line a day")
  func handshakes() throws {
    let fixture = try RecorderFixture()
    for _ in 0..<3 {
      for _ in 0..<7 { fixture.inbox.handshakeFailed(.unknownCA, from: "192.0.2.77") }
      for _ in 0..<2 { fixture.inbox.handshakeFailed(.closed, from: "2001:db8::1") }
      _ = try fixture.recorder.round()
    }
    fixture.clock.advance(by: .seconds(61))
    _ = try fixture.recorder.round()
    let events = try fixture.reader.changes(Event.self, after: 0, limit: 10).rows.map(\.event)
    #expect(events.allSatisfy { $0.kind == .handshakeFailed })
    #expect(
      Dictionary(uniqueKeysWithValues: events.map { ($0.detail, $0.count) }) == [
        "unknown_ca, last from 192.0.2.0/24": 21, "closed, last from 2001:db8:0:0::/56": 6,
      ])
    let lines = try fixture.reader.changes(LogLine.self, after: 0, limit: 10).rows.map(\.line)
    #expect(lines.map(\.level) == [.info, .warning])
    #expect(lines.last?.message.contains("unknown_ca, from 192.0.2.0/24): the client does not trust") == true)
  }

  @Test("a target whose first accepted notifications all get no receipt is told once, with the likely causes")
  func silence() throws {
    let fixture = try RecorderFixture()
    fixture.inbox.handshakeFailed(.certificateUnknown, from: "192.0.2.77")
    fixture.plan(30)
    for sequence in Int64(1)...30 { fixture.send(sequence) }
    fixture.clock.advance(by: .seconds(60))
    _ = try fixture.recorder.round()
    let lines = try fixture.reader.changes(LogLine.self, after: 0, limit: 10).rows.filter {
      $0.targetName == "a"
    }.map(\.line)
    #expect(lines.count == 1)
    let message = try #require(lines.first?.message)
    #expect(
      message.hasPrefix("none of the first 20 notifications that the provider accepted got a receipt; "))
    #expect(message.contains("does not trust the receipt listener's certificate (1 TLS handshake failed: "))
    #expect(message.contains("certificate_unknown 1, the last from 192.0.2.0/24"))
    // What the store keeps of it is what doctor says afterwards.
    fixture.clock.advance(by: .seconds(61))
    _ = try fixture.recorder.round()
    try fixture.directory.write(
      "c.yaml", "targets: [ { name: a, provider: http, endpoint: 'https://127.0.0.1:1' } ]")
    let configuration = try PushscopeConfiguration.load(
      path: fixture.directory.file("c.yaml"), environment: [:])
    let findings = try ReceiptDoctor.findings(of: configuration.targets, in: fixture.reader)
    #expect(findings.map(\.subject) == ["receipts", "a"])
    #expect(findings.first?.message.contains("certificate_unknown 1, the last from 192.0.2.0/24") == true)
    #expect(findings.last?.message.contains("none of the first 30 notifications") == true)
    #expect(findings.allSatisfy { $0.level == .note })
  }
}

/// What a device was told, and what a reader saw at that moment.
private final class Answer: Sendable {
  private let content = Mutex<(outcome: ReceiptOutcome?, seen: NotificationState?)>((nil, nil))

  func give(_ outcome: ReceiptOutcome, seen: NotificationState??) {
    content.withLock { $0 = (outcome, seen ?? nil) }
  }

  var outcome: ReceiptOutcome? { content.withLock { $0.outcome } }
  var seen: NotificationState? { content.withLock { $0.seen } }
}
