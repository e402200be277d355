import GRDB
import Measurement
import Testing

@testable import Store

@Suite struct ControlClientTests {
  private func desk(_ bench: Bench) -> ControlClient {
    ControlClient(storePath: bench.scratch.store, clock: bench.clock)
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    (#expect(throws: StoreError.self) { try body() })?.code
  }

  @Test func leavesCommandsForALivingCollector() throws {
    let bench = try Bench()
    let desk = desk(bench)
    let commands: [ControlCommand] = [
      .stop, .start(name: "again"), .start(name: nil), .rename(bench.run, name: "täg"),
      .rename(bench.run, name: nil), .delete(bench.run),
    ]
    let tickets = try commands.map { try desk.submit($0) }
    #expect(try bench.store.controlRequests().map(\.command) == commands)
    #expect(try tickets.map { try desk.outcome(of: $0) } == Array(repeating: .waiting, count: 6))
    let requests = try bench.store.controlRequests()
    try bench.store.answer(requests[0].row)
    try bench.store.answer(requests[1].row, refusal: "no")
    #expect(try bench.store.controlRequests().count == 4)
    #expect(try desk.outcome(of: tickets[0]) == .done)
    #expect(try desk.outcome(of: tickets[1]) == .refused("no"))
    // An answer is given once.
    try bench.store.answer(requests[1].row)
    #expect(try desk.outcome(of: tickets[1]) == .refused("no"))
  }

  @Test func doesItItselfWhenNobodyElseCan() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 20))
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .completed)
    bench.store.close()
    let desk = desk(bench)
    let ticket = try desk.submit(.rename(bench.run, name: "new"))
    #expect(try desk.outcome(of: ticket) == .done)
    #expect(try bench.reader().run(bench.run)?.name == "new")
    _ = try desk.submit(.rename(bench.run, name: nil))
    let record = try #require(try bench.reader().run(bench.run))
    #expect(record.name == nil)
    #expect(code { _ = try desk.submit(.start(name: nil)) } == .noCollector)
    #expect(code { _ = try desk.submit(.stop) } == .noCollector)
    #expect(try desk.outcome(of: desk.submit(.delete(bench.run))) == .done)
    #expect(try bench.reader().runs().isEmpty)
    #expect(code { _ = try desk.submit(.delete(bench.run)) } == .unknownRun)
    // The lock is given back.
    try bench.reopened().close()
  }

  @Test func renamingIsAChangeThatFollowersSee() throws {
    let bench = try Bench()
    let before = try #require(try bench.reader().run(bench.run))
    try bench.store.rename(bench.run, to: "other")
    let after = try #require(try bench.reader().run(bench.run))
    #expect(after.name == "other")
    #expect(after.revision > before.revision)
    #expect(try bench.reader().revision() == after.revision)
  }

  @Test func refusesWhatCannotBe() throws {
    let bench = try Bench()
    let desk = desk(bench)
    var generator = SeededGenerator(seed: 1)
    let unknown = RunID(at: bench.clock.wallNow(), using: &generator)
    #expect(code { _ = try desk.submit(.rename(unknown, name: "x")) } == .unknownRun)
    let long = String(repeating: "ä", count: 101)
    #expect(code { _ = try desk.submit(.rename(bench.run, name: long)) } == .nameTooLong)
    #expect(code { _ = try desk.submit(.start(name: long)) } == .nameTooLong)
    #expect(code { _ = try desk.submit(.start(name: "latest")) } == .reservedName)
    #expect(code { _ = try desk.submit(.rename(bench.run, name: "latest")) } == .reservedName)
    #expect(code { try bench.store.rename(bench.run, to: "latest") } == .reservedName)
    #expect(try bench.store.controlRequests().isEmpty)
    let missing = ControlClient(storePath: bench.scratch.file("none.sqlite"), clock: bench.clock)
    #expect(code { _ = try missing.submit(.rename(unknown, name: "x")) } == .missing)
    #expect(!bench.scratch.names.contains { $0.hasPrefix("none.sqlite") && $0.hasSuffix(".lock") })
  }

  @Test func acollectorThatIsGoneAnswersNothing() throws {
    let bench = try Bench()
    let desk = desk(bench)
    let ticket = try desk.submit(.stop)
    bench.store.close()
    guard case .refused = try desk.outcome(of: ticket) else {
      Issue.record("still waiting")
      return
    }
    // The next collector does not take it for its own.
    bench.clock.advance(seconds: 5)
    let next = try bench.reopened()
    try next.refuseLeftoverRequests()
    #expect(try next.controlRequests().isEmpty)
    bench.clock.advance(seconds: 1)
    let fresh = try desk.submit(.start(name: nil))
    try next.refuseLeftoverRequests()
    #expect(try desk.outcome(of: fresh) == .waiting)
  }

  @Test func answersAreForgottenAfterADay() throws {
    let bench = try Bench()
    let ticket = try desk(bench).submit(.stop)
    try bench.store.answer(try #require(try bench.store.controlRequests().first).row)
    bench.clock.advance(seconds: 90_000)
    try bench.store.refuseLeftoverRequests()
    #expect(try bench.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM control") } == 0)
    guard case .refused = try desk(bench).outcome(of: ticket) else {
      Issue.record("not refused")
      return
    }
  }

  /// Anybody with `sqlite3` may write to the table.
  @Test(arguments: [
    "('dance', NULL, NULL)", "('rename', 'no uuid', 'x')", "('delete', NULL, NULL)",
    "('start', NULL, 'latest')", "('start', NULL, '\(String(repeating: "x", count: 201))')",
  ])
  func aRowThatMakesNoSenseIsNoCommand(values: String) throws {
    let bench = try Bench()
    try bench.store.queue.write {
      let tuple = values.dropFirst().dropLast()
      try $0.execute(sql: "INSERT INTO control (command, run, name, at) VALUES (\(tuple), 1)")
    }
    let requests = try bench.store.controlRequests()
    #expect(requests.count == 1)
    #expect(requests.first?.command == nil)
  }

  @Test func presenceSaysWhatTheCollectorDoes() throws {
    let bench = try Bench()
    let reader = try bench.reader()
    let start = bench.clock.wallNow()
    #expect(try reader.collector().lastHeartbeat == start)
    #expect(try reader.collector().servesControl == false)
    // With the run itself, before the collector says anything more.
    #expect(try reader.collector().run == bench.run)
    try bench.store.notePresence(serves: true)
    #expect(try reader.collector().run == bench.run)
    #expect(try reader.collector().servesControl)
    bench.clock.advance(seconds: 100)
    try bench.store.notePresence(serves: true)
    #expect(try reader.collector().lastHeartbeat == bench.clock.wallNow())
    // A commit after it is the later word.
    bench.clock.advance(seconds: 1)
    try bench.commit()
    #expect(try reader.collector().lastHeartbeat == bench.clock.wallNow())
    // So does its end.
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .completed)
    let idle = try reader.collector()
    #expect(idle.isRunning && idle.run == nil && idle.servesControl)
    var generator = SeededGenerator(seed: 2)
    let second = RunID(at: bench.clock.wallNow(), using: &generator)
    _ = try bench.store.beginRun(Bench.description(of: second, bench.clock))
    #expect(try reader.collector().run == second && reader.collector().servesControl)
    bench.store.close()
    let gone = try reader.collector()
    #expect(!gone.isRunning && gone.run == nil && !gone.servesControl)
    // Whoever opens the store next does not do what the last one did.
    let next = try bench.reopened()
    #expect(try reader.collector().isRunning)
    #expect(try reader.collector().run == nil)
    next.close()
  }
}
