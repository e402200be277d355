import Measurement
import Testing

@testable import Store

@Suite struct RunsTests {
  @Test func tellAllThatWasRegistered() throws {
    let bench = try Bench()
    let reader = try bench.reader()
    let run = try #require(try reader.run(bench.run))
    #expect(run.name == "a test")
    #expect(run.collectorID == bench.store.collectorID)
    #expect(run.startedAt == bench.clock.wallNow())
    #expect(run.startedMonotonic == bench.clock.monotonicNow())
    #expect(run.bootID == Bench.bootID)
    #expect(run.endedAt == nil)
    #expect(run.endReason == nil)
    #expect(run.targetNames == ["alpha", "beta"])

    let targets = try reader.targets(of: bench.run)
    #expect(targets.map(\.name) == ["alpha", "beta"])
    #expect(targets.map(\.id) == [bench.alpha, bench.beta])
    #expect(targets.map(\.provider) == ["loopback", "http"])
    #expect(targets.map(\.receiptDeadline) == [30_000_000, nil])
    #expect(targets.map(\.askedRate) == [100, 2.5])
    #expect(targets[0].variants.map(\.name) == [""])
    #expect(targets[1].variants.map(\.name) == ["priority=10", "priority=5"])
    #expect(targets[1].variants.map(\.id) == bench.registration["beta"]?.variants)
  }

  @Test func countPerStateTargetAndVariant() throws {
    let bench = try Bench()
    let alpha = bench.plans(bench.alpha, count: 4)
    let beta = bench.plans(bench.beta, count: 3)
    try bench.commit(inserted: alpha + beta)
    try bench.commit(updated: [
      alpha[0].asDelivered(), alpha[1].asSent, alpha[2].asMissed(.inFlight), beta[0].asRejected("x"),
    ])
    let targets = try bench.reader().targets(of: bench.run)
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
    #expect(try bench.reader().latestRun()?.counts == targets[0].counts + targets[1].counts)
  }

  @Test func comeOldestFirst() throws {
    let bench = try Bench()
    try bench.store.endRun(
      bench.run, at: bench.clock.wallNow().advanced(byMicroseconds: 5), reason: .completed)
    bench.store.close()
    bench.clock.advance(seconds: 1)
    let later = try Bench(scratch: bench.scratch, clock: bench.clock)
    let reader = try later.reader()
    let runs = try reader.runs()
    #expect(runs.map(\.id) == [bench.run, later.run])
    #expect(runs[0].endReason == .completed)
    #expect(runs[0].endedAt == SteppedClock().wallNow().advanced(byMicroseconds: 5))
    #expect(try reader.latestRun()?.id == later.run)
    // A variant keeps its number from run to run; a target gets a new one.
    #expect(later.registration["beta"]?.variants == bench.registration["beta"]?.variants)
    #expect(later.alpha != bench.alpha)
    var generator = SeededGenerator(seed: 5)
    #expect(try reader.run(RunID(at: bench.clock.wallNow(), using: &generator)) == nil)
  }

  @Test func areNoneInAnEmptyStore() throws {
    let scratch = try Scratch()
    try CollectorStore.open(at: scratch.store, clock: SteppedClock(), options: .init(bootID: "a")).close()
    let reader = try StoreReader.open(at: scratch.store)
    #expect(try reader.runs().isEmpty)
    #expect(try reader.latestRun() == nil)
    #expect(try reader.revision() == 0)
    #expect(try reader.collector() == CollectorPresence(isRunning: false, holder: nil, lastHeartbeat: nil))
  }
}
