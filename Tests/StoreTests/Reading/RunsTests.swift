import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct RunsTests {
  @Test func tellAllThatWasRegistered() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    let run = try #require(try reader.run(fixture.run))
    #expect(run.name == "a test")
    #expect(run.collectorID == fixture.store.collectorID)
    #expect(run.startedAt == fixture.clock.wallNow())
    #expect(run.startedMonotonic == fixture.clock.monotonicNow())
    #expect(run.bootID == StoreFixture.bootID)
    #expect(run.endedAt == nil)
    #expect(run.endReason == nil)
    #expect(run.targetNames == ["alpha", "beta"])

    let targets = try reader.targets(of: fixture.run)
    #expect(targets.map(\.name) == ["alpha", "beta"])
    #expect(targets.map(\.id) == [fixture.alpha, fixture.beta])
    #expect(targets.map(\.provider) == ["loopback", "http"])
    #expect(targets.map(\.receiptDeadline) == [30_000_000, nil])
    #expect(targets.map(\.askedRate) == [100, 2.5])
    #expect(targets[0].variants.map(\.name) == [""])
    #expect(targets[1].variants.map(\.name) == ["priority=10", "priority=5"])
    #expect(targets[1].variants.map(\.id) == fixture.registration["beta"]?.variants)
  }

  @Test func countPerStateTargetAndVariant() throws {
    let fixture = try StoreFixture()
    let alpha = fixture.plans(fixture.alpha, count: 4)
    let beta = fixture.plans(fixture.beta, count: 3)
    try fixture.commit(inserted: alpha + beta)
    try fixture.commit(updated: [
      alpha[0].asDelivered(), alpha[1].asSent, alpha[2].asMissed(.inFlight), beta[0].asRejected("x"),
    ])
    let targets = try fixture.reader().targets(of: fixture.run)
    #expect(targets[0].counts.planned == 4)
    #expect(targets[0].counts[.delivered] == 1)
    #expect(targets[0].counts[.inFlight] == 1)
    #expect(targets[0].counts[.missed] == 1)
    #expect(targets[0].counts[.planned] == 1)
    #expect(targets[0].counts.sent == 2)
    #expect(targets[0].counts.acceptedByProvider == 1)
    #expect(targets[0].counts.open == 2)
    // Sequence 1 and 3 took the second variant, 2 the first.
    #expect(targets[1].variants.map(\.counts.planned) == [1, 2])
    #expect(targets[1].variants.map { $0.counts[.rejected] } == [0, 1])
    #expect(try fixture.reader().latestRun()?.counts == targets[0].counts + targets[1].counts)
  }

  @Test func comeOldestFirst() throws {
    let fixture = try StoreFixture()
    try fixture.store.endRun(
      fixture.run, at: fixture.clock.wallNow().advanced(byMicroseconds: 5), reason: .completed)
    fixture.store.close()
    fixture.clock.advance(by: .seconds(1))
    let later = try StoreFixture(directory: fixture.directory, clock: fixture.clock)
    let reader = try later.reader()
    let runs = try reader.runs()
    #expect(runs.map(\.id) == [fixture.run, later.run])
    #expect(runs[0].endReason?.word == .completed)
    #expect(runs[0].endedAt == SteppedHostClock().wallNow().advanced(byMicroseconds: 5))
    #expect(try reader.latestRun()?.id == later.run)
    // A variant keeps its number from run to run; a target gets a new one.
    #expect(later.registration["beta"]?.variants == fixture.registration["beta"]?.variants)
    #expect(later.alpha != fixture.alpha)
    var generator = SeededGenerator(seed: 5)
    #expect(try reader.run(RunID(at: fixture.clock.wallNow(), using: &generator)) == nil)
  }

  @Test func areNoneInAnEmptyStore() throws {
    let directory = try TemporaryDirectory()
    try CollectorStore.open(at: directory.storePath, clock: SteppedHostClock(), options: .init(bootID: "a"))
      .close()
    let reader = try StoreReader.open(at: directory.storePath)
    #expect(try reader.runs().isEmpty)
    #expect(try reader.latestRun() == nil)
    #expect(try reader.revision() == 0)
    #expect(try reader.collector() == CollectorPresence(isRunning: false, holder: nil, lastHeartbeat: nil))
  }
}
