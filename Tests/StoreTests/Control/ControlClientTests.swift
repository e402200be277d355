import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct ControlClientTests {
  private func client(_ fixture: StoreFixture) -> ControlClient {
    ControlClient(storePath: fixture.directory.storePath, clock: fixture.clock)
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    (#expect(throws: StoreError.self) { try body() })?.code
  }

  @Test func leavesCommandsForALivingCollector() throws {
    let fixture = try StoreFixture()
    let client = client(fixture)
    let commands: [ControlCommand] = [
      .stop, .start(name: "again"), .start(name: nil), .rename(fixture.run, name: "täg"),
      .rename(fixture.run, name: nil), .delete(fixture.run),
    ]
    let tickets = try commands.map { try client.submit($0) }
    #expect(try fixture.store.controlRequests().map(\.command) == commands)
    #expect(try tickets.map { try client.outcome(of: $0) } == Array(repeating: .waiting, count: 6))
    let requests = try fixture.store.controlRequests()
    try fixture.store.answer(requests[0].row)
    try fixture.store.answer(requests[1].row, refusal: "no")
    #expect(try fixture.store.controlRequests().count == 4)
    #expect(try client.outcome(of: tickets[0]) == .done)
    #expect(try client.outcome(of: tickets[1]) == .refused("no"))
    // An answer is given once.
    try fixture.store.answer(requests[1].row)
    #expect(try client.outcome(of: tickets[1]) == .refused("no"))
  }

  @Test func doesItItselfWhenNobodyElseCan() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 20))
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    fixture.store.close()
    let client = client(fixture)
    let submission = try client.submit(.rename(fixture.run, name: "new"))
    #expect(try client.outcome(of: submission) == .done)
    #expect(try fixture.reader().run(fixture.run)?.name == "new")
    _ = try client.submit(.rename(fixture.run, name: nil))
    let record = try #require(try fixture.reader().run(fixture.run))
    #expect(record.name == nil)
    #expect(code { _ = try client.submit(.start(name: nil)) } == .noCollector)
    #expect(code { _ = try client.submit(.stop) } == .noCollector)
    #expect(try client.outcome(of: client.submit(.delete(fixture.run))) == .done)
    #expect(try fixture.reader().runs().isEmpty)
    #expect(code { _ = try client.submit(.delete(fixture.run)) } == .unknownRun)
    // The lock is given back.
    try fixture.reopened().close()
  }

  @Test func renamingIsAChangeThatFollowersSee() throws {
    let fixture = try StoreFixture()
    let before = try #require(try fixture.reader().run(fixture.run))
    try fixture.store.rename(fixture.run, to: "other")
    let after = try #require(try fixture.reader().run(fixture.run))
    #expect(after.name == "other")
    #expect(after.revision > before.revision)
    #expect(try fixture.reader().revision() == after.revision)
  }

  @Test func refusesWhatCannotBe() throws {
    let fixture = try StoreFixture()
    let client = client(fixture)
    var generator = SeededGenerator(seed: 1)
    let unknown = RunID(at: fixture.clock.wallNow(), using: &generator)
    #expect(code { _ = try client.submit(.rename(unknown, name: "x")) } == .unknownRun)
    let long = String(repeating: "ä", count: 101)
    #expect(code { _ = try client.submit(.rename(fixture.run, name: long)) } == .nameTooLong)
    #expect(code { _ = try client.submit(.start(name: long)) } == .nameTooLong)
    #expect(code { _ = try client.submit(.start(name: "latest")) } == .reservedName)
    #expect(code { _ = try client.submit(.rename(fixture.run, name: "latest")) } == .reservedName)
    #expect(code { try fixture.store.rename(fixture.run, to: "latest") } == .reservedName)
    #expect(try fixture.store.controlRequests().isEmpty)
    let missing = ControlClient(storePath: fixture.directory.file("none.sqlite"), clock: fixture.clock)
    #expect(code { _ = try missing.submit(.rename(unknown, name: "x")) } == .missing)
    #expect(!fixture.directory.names.contains { $0.hasPrefix("none.sqlite") && $0.hasSuffix(".lock") })
  }

  @Test func acollectorThatIsGoneAnswersNothing() throws {
    let fixture = try StoreFixture()
    let client = client(fixture)
    let submission = try client.submit(.stop)
    fixture.store.close()
    guard case .refused = try client.outcome(of: submission) else {
      Issue.record("still waiting")
      return
    }
    // The next collector does not take it for its own.
    fixture.clock.advance(by: .seconds(5))
    let next = try fixture.reopened()
    try next.refuseLeftoverRequests()
    #expect(try next.controlRequests().isEmpty)
    fixture.clock.advance(by: .seconds(1))
    let fresh = try client.submit(.start(name: nil))
    try next.refuseLeftoverRequests()
    #expect(try client.outcome(of: fresh) == .waiting)
  }

  @Test func answersAreForgottenAfterADay() throws {
    let fixture = try StoreFixture()
    let submission = try client(fixture).submit(.stop)
    try fixture.store.answer(try #require(try fixture.store.controlRequests().first).row)
    fixture.clock.advance(by: .seconds(90_000))
    try fixture.store.refuseLeftoverRequests()
    #expect(try fixture.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM control") } == 0)
    guard case .refused = try client(fixture).outcome(of: submission) else {
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
    let fixture = try StoreFixture()
    try fixture.store.queue.write {
      let tuple = values.dropFirst().dropLast()
      try $0.execute(sql: "INSERT INTO control (command, run, name, at) VALUES (\(tuple), 1)")
    }
    let requests = try fixture.store.controlRequests()
    #expect(requests.count == 1)
    #expect(requests.first?.command == nil)
  }

  @Test func presenceSaysWhatTheCollectorDoes() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    let start = fixture.clock.wallNow()
    #expect(try reader.collector().lastHeartbeat == start)
    #expect(try reader.collector().servesControl == false)
    // With the run itself, before the collector says anything more.
    #expect(try reader.collector().run == fixture.run)
    try fixture.store.recordPresence(staysAfterRun: true)
    #expect(try reader.collector().run == fixture.run)
    #expect(try reader.collector().servesControl)
    fixture.clock.advance(by: .seconds(100))
    try fixture.store.recordPresence(staysAfterRun: true)
    #expect(try reader.collector().lastHeartbeat == fixture.clock.wallNow())
    // A commit after it is the later word.
    fixture.clock.advance(by: .seconds(1))
    try fixture.commit()
    #expect(try reader.collector().lastHeartbeat == fixture.clock.wallNow())
    // So does its end.
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    let idle = try reader.collector()
    #expect(idle.isRunning && idle.run == nil && idle.servesControl)
    var generator = SeededGenerator(seed: 2)
    let second = RunID(at: fixture.clock.wallNow(), using: &generator)
    _ = try fixture.store.beginRun(StoreFixture.description(of: second, fixture.clock))
    #expect(try reader.collector().run == second && reader.collector().servesControl)
    fixture.store.close()
    let gone = try reader.collector()
    #expect(!gone.isRunning && gone.run == nil && !gone.servesControl)
    // Whoever opens the store next does not do what the last one did.
    let next = try fixture.reopened()
    #expect(try reader.collector().isRunning)
    #expect(try reader.collector().run == nil)
    next.close()
  }
}
