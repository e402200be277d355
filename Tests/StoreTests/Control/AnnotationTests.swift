import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct AnnotationTests {
  private let fixture: StoreFixture
  private let client: ControlClient
  private var at: WallTime { fixture.clock.wallNow() }

  init() throws {
    fixture = try StoreFixture()
    client = ControlClient(storePath: fixture.directory.storePath, clock: fixture.clock)
  }

  private func events() throws -> [EventRecord] {
    var events: [EventRecord] = []
    try fixture.reader().forEachEvent(RowSelection()) { events.append($0) }
    return events
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    (#expect(throws: StoreError.self) { try body() })?.code
  }

  @Test("a blank text, one that is too long and a target without a run are refused")
  func invalid() {
    #expect(Annotation("", at: at) == nil)
    #expect(Annotation(" \n\t", at: at) == nil)
    #expect(Annotation(String(repeating: "ä", count: 250), at: at) != nil)
    #expect(Annotation(String(repeating: "ä", count: 251), at: at) == nil)
    #expect(Annotation("x", at: at, target: "alpha") == nil)
  }

  @Test(
    "a collector that has the store gets it whole",
    arguments: ["deploy 412", "quotes \" and \\", "\u{1B}[2J\u{202E}\n'; DROP TABLE event; --", "日本語 🚀"])
  func handedOver(text: String) throws {
    let annotation = try #require(Annotation(text, at: at, run: fixture.run, target: "alpha"))
    let submission = try client.submit(.annotate(annotation))
    let request = try #require(try fixture.store.controlRequests().first)
    #expect(request.command == .annotate(annotation))
    #expect(try client.outcome(of: submission) == .waiting)
    try fixture.store.annotate(annotation)
    let event = try #require(try events().last)
    #expect(event.event.kind == .annotation && event.event.detail == text && event.event.at == at)
    #expect(event.run == fixture.run && event.targetName == "alpha")
  }

  @Test("the longest text fits into the table, also where every character is escaped")
  func longest() throws {
    let annotation = try #require(
      Annotation(
        String(repeating: "\u{1}", count: Annotation.longestText), at: at, run: fixture.run,
        target: String(repeating: "\"", count: 200)))
    _ = try client.submit(.annotate(annotation))
    #expect(try fixture.store.controlRequests().first?.command == .annotate(annotation))
  }

  @Test("without a collector it is written under the lock; readers that follow see it")
  func written() throws {
    try fixture.store.endRun(fixture.run, at: at, reason: .completed)
    fixture.store.close()
    let before = try fixture.reader().revision()
    #expect(
      try client.outcome(of: client.submit(.annotate(#require(Annotation("of no run", at: at))))) == .done)
    _ = try client.submit(.annotate(#require(Annotation("of a run", at: at, run: fixture.run))))
    let notes = try events().filter { $0.event.kind == .annotation }
    #expect(notes.map(\.event.detail) == ["of no run", "of a run"])
    #expect(notes.map(\.run) == [nil, fixture.run])
    #expect(try fixture.reader().revision() == before + 2)
    try fixture.reopened().close()
  }

  @Test func runsAndTargetsThatAreNotThere() throws {
    var generator = SeededGenerator(seed: 4)
    let unknown = RunID(at: at, using: &generator)
    let stray = try #require(Annotation("x", at: at, run: unknown))
    #expect(code { _ = try client.submit(.annotate(stray)) } == .unknownRun)
    #expect(code { try fixture.store.annotate(stray) } == .unknownRun)
    let target = try #require(Annotation("x", at: at, run: fixture.run, target: "gamma"))
    #expect(code { try fixture.store.annotate(target) } == .unknownTarget)
    #expect(try events().allSatisfy { $0.event.kind != .annotation })
  }

  @Test(
    "anybody may write to the table: a row that makes no sense is no command",
    arguments: [
      "NULL", "''", "'deploy'", "'{}'", "'{\"at\":\"now\",\"text\":\"x\"}'", "'{\"at\":7,\"text\":\"x\"}'",
      "'{\"at\":\"2026-03-01T12:00:00Z\",\"text\":\" \"}'",
      "'{\"at\":\"2026-03-01T12:00:00Z\",\"text\":\"x\",\"target\":\"alpha\"}'",
    ])
  func strayRows(name: String) throws {
    try fixture.store.queue.write {
      try $0.execute(sql: "INSERT INTO control (command, name, at) VALUES ('annotate', \(name), 1)")
      try $0.execute(
        sql: """
          INSERT INTO control (command, run, name, at)
          VALUES ('annotate', 'no uuid', '{"at":"2026-03-01T12:00:00Z","text":"x"}', 1)
          """)
    }
    #expect(try fixture.store.controlRequests().map(\.command) == [nil, nil])
  }
}
