import Configuration
import Foundation
import Measurement
import Store
import TestKit
import Testing

@testable import Collector

/// The fifth acceptance case in simulated time: the collector dies at a random instant, and its files are opened as
/// they lay there. (The end-to-end suite does it to the real process.)
@Suite("A killed collector")
struct KillTests {
  @Test("every planned number is accounted for after the next start", arguments: 0..<12)
  func anyMoment(seed: Int) throws {
    var moments = SeededGenerator(seed: UInt64(seed) + 900)
    let moment = Duration.microseconds(300_000 + Int64(moments.unit() * 4_000_000))
    var service = SimulatedService(delay: .constant(.milliseconds(3)), streams: seed % 3 == 0 ? 2 : 1000)
    service.device = SimulatedService.Device(lost: 0.05, rejected: 0.05)
    let run = try SimulatedRun(
      rate: 150, length: .seconds(6), service: service, deadline: .milliseconds(200), seed: UInt64(seed))
    let begin = run.fixture.clock.monotonicNow()
    try run.run { $0 >= begin + moment }

    // What SIGKILL leaves: the files, as the last commit left them.
    let left = run.fixture.directory.url.appendingPathComponent("left")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try FileManager.default.copyItem(
        at: run.fixture.directory.url.appendingPathComponent(name), to: left.appendingPathComponent(name))
    }
    let path = left.appendingPathComponent("store.sqlite").path
    let now = run.fixture.clock.monotonicNow()
    let store = try CollectorStore.open(
      at: path, clock: run.fixture.clock, options: CollectorStoreOptions(bootID: "boot"))
    defer { store.close() }
    let reader = try StoreReader.open(at: path)
    var samples: [Sample] = []
    try reader.forEachSample(RowSelection(run: run.fixture.run)) { samples.append($0.sample) }

    #expect(samples.map(\.id.sequence) == (1...Int64(samples.count)).map { $0 }, "no gaps")
    #expect(samples.allSatisfy { $0.state != .planned && $0.state != .inFlight })
    #expect(run.sent.isSubset(of: Set(samples.map(\.id.sequence))), "what was sent is in the store")
    #expect(
      samples.allSatisfy { $0.plannedMonotonic <= now.microseconds }, "what was not due is not in the plan")
    let recovered = try #require(store.recovered.runs.first)
    #expect(recovered.interrupted == samples.count { $0.state == .interrupted })
    let record = try #require(try reader.run(run.fixture.run))
    #expect(record.endReason?.word == .interrupted)
    #expect(record.counts.planned == samples.count)
    for state in NotificationState.allCases {
      #expect(record.counts[state] == samples.count { $0.state == state })
    }
  }

  @Test("a receipt that comes after the restart still counts")
  func receiptAfterRestart() throws {
    var service = SimulatedService(delay: .constant(.milliseconds(3)))
    service.device = SimulatedService.Device(delay: .constant(.seconds(10)))
    let run = try SimulatedRun(rate: 50, length: .seconds(2), service: service, deadline: .seconds(20))
    let begin = run.fixture.clock.monotonicNow()
    try run.run { $0 >= begin + .seconds(1) }
    run.fixture.store.close()

    let path = run.fixture.directory.file("store.sqlite")
    let store = try CollectorStore.open(
      at: path, clock: run.fixture.clock, options: CollectorStoreOptions(bootID: "boot"))
    defer { store.close() }
    var generator = SystemRandomNumberGenerator()
    let next = RunID(at: run.fixture.clock.wallNow(), using: &generator)
    let registration = try store.beginRun(
      RunDescription(
        id: next, startedAt: run.fixture.clock.wallNow(), startedMonotonic: run.fixture.clock.monotonicNow(),
        bootID: "boot",
        targets: [TargetDescription(name: "a", provider: "http", receiptDeadline: 20_000_000, askedRate: 1)]))
    let inbox = try RecorderInbox()
    let recorder = Recorder(
      run: next, bootID: "boot",
      targets: registration.targets.map { LedgerTarget(id: $0.id, receiptDeadline: 20_000_000) },
      store: store,
      inbox: inbox, clock: run.fixture.clock, onCommitted: { _ in })
    let id = run.fixture.id(1)
    #expect(try store.sample(id)?.state == .interrupted)
    inbox.receive([
      ArrivedReceipt(
        id: NotificationID(run: run.fixture.run, sample: id), device: "d",
        arrivedAt: run.fixture.clock.monotonicNow(), receivedAt: run.fixture.clock.wallNow(), bootID: "boot",
        receivedMonotonic: run.fixture.clock.monotonicNow())
    ]) { _ in }
    _ = try recorder.round()
    #expect(try store.sample(id)?.state == .delivered)
  }
}
