import Analysis
import GRDB
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Analyst

/// A store that fills as a stepped clock goes on, ten notifications a second, and the collector's search for changes in it.
private final class WatchedStore {
  let fixture: StoreFixture
  private var watch: FindingWatch
  private var random = SeededGenerator(seed: 5)
  private var sequence: Int64 = 1
  private let heard = Heard()
  /// Rounds that failed.
  private(set) var failures = 0

  private final class Heard {
    var lines: [String] = []
  }

  var lines: [String] { heard.lines }

  init() throws {
    fixture = try StoreFixture()
    watch = Self.watch(fixture, heard)
  }

  private static func watch(_ fixture: StoreFixture, _ heard: Heard) -> FindingWatch {
    var settings = DetectionSettings()
    settings.legSamples = 40
    return FindingWatch(store: fixture.store, clock: fixture.clock, settings: settings) {
      heard.lines.append($0)
    }
  }

  /// Lets seconds pass, in each of which deliveries take about so many µs, with a round of the search after each.
  func pass(_ seconds: Int, latency: Double = 40_000) throws {
    for _ in 0..<seconds {
      let plans = fixture.plans(fixture.alpha, from: sequence, count: 10, interval: 100_000)
      sequence += 10
      fixture.clock.advance(by: .seconds(1))
      try fixture.commit(
        inserted: plans.map { $0.asDelivered(Int64(latency * (0.8 + 0.4 * random.unit()))) })
      do {
        _ = try watch.round()
      } catch {
        failures += 1
      }
    }
  }

  /// The collector's search ends, or is killed, and begins anew.
  func restart(isKilled: Bool) throws {
    if !isKilled { try watch.end() }
    watch = Self.watch(fixture, heard)
  }

  func findings() throws -> [FindingRecord] {
    let reader = try fixture.reader()
    defer { reader.close() }
    return try reader.findings(.everything)
  }

  /// What was said of each, in the order of the store.
  func events() throws -> [Event] { try eventRecords().map(\.event) }

  func eventRecords() throws -> [EventRecord] {
    let reader = try fixture.reader()
    defer { reader.close() }
    var records: [EventRecord] = []
    try reader.forEachEvent(RowSelection()) { records.append($0) }
    return records.filter { $0.event.kind == .findingOpened || $0.event.kind == .findingClosed }
  }

  /// Lets inserts into a table fail, until it is called with `nil`.
  func refuse(insertsInto table: String?) throws {
    let other = try DatabaseQueue(path: fixture.directory.storePath)
    defer { try? other.close() }
    try other.write { db in
      try db.execute(sql: "DROP TRIGGER IF EXISTS refusal")
      guard let table else { return }
      try db.execute(
        sql: """
          CREATE TRIGGER refusal BEFORE INSERT ON \(table)
          BEGIN SELECT RAISE(ABORT, 'no space is left'); END
          """)
    }
  }
}

/// What the collector says of changes while it records.
@Suite("The search for changes in a collector") struct FindingWatchTests {
  @Test("a finding's opening and its end are events, lines of the log, and told once each")
  func tellsOpeningAndEnd() throws {
    let store = try WatchedStore()
    try store.pass(60)
    #expect(try store.events().isEmpty && store.findings().isEmpty)
    try store.pass(20, latency: 160_000)
    // While it goes on.
    let open = try #require(try store.findings().first { $0.isOpen })
    #expect(open.metric.word == .delivery && open.kind.word == .slower && open.target == "alpha")
    let opened = try #require(try store.events().first)
    #expect(opened.kind == .findingOpened)
    #expect(try store.eventRecords().first?.targetName == "alpha")
    #expect(try store.eventRecords().first?.run == store.fixture.run)
    #expect(opened.detail.contains(" arrive slower since ") && opened.detail.contains(open.id))
    #expect(opened.at > open.startedAt && opened.at <= store.fixture.clock.wallNow())
    #expect(try store.events().map(\.kind) == [.findingOpened])
    #expect(store.lines.count == 1)
    try store.pass(40)
    #expect(try store.events().map(\.kind) == [.findingOpened, .findingClosed])
    let closed = try #require(try store.events().last)
    #expect(closed.detail.contains(" arrived slower from ") && closed.detail.contains(open.id))
    #expect(closed.at > opened.at)
    let end = try #require(try store.findings().first { $0.id == open.id }?.endedAt)
    #expect(abs(end.microseconds - open.startedAt.microseconds - 20_000_000) < 4_000_000)
    #expect(store.lines.count == 2)
    // The log of the run says the same, and names its source.
    let reader = try store.fixture.reader()
    defer { reader.close() }
    var log: [LogLine] = []
    try reader.forEachLogLine(RowSelection()) { log.append($0.line) }
    let own = log.filter { $0.label == "findings" }
    #expect(own.map(\.message) == [opened.detail, closed.detail])
    #expect(own.map(\.level) == [.warning, .notice])
  }

  @Test("a restart in the middle of an open finding says nothing twice", arguments: [false, true])
  func restartsInTheMiddle(isKilled: Bool) throws {
    let store = try WatchedStore()
    try store.pass(60)
    try store.pass(15, latency: 160_000)
    let open = try #require(try store.findings().first { $0.isOpen })
    try store.restart(isKilled: isKilled)
    try store.pass(5, latency: 160_000)
    #expect(try store.findings().map(\.id) == [open.id])
    #expect(try store.events().map(\.kind) == [.findingOpened])
    try store.pass(40)
    #expect(try store.findings().map(\.id) == [open.id])
    #expect(try store.findings().first?.isOpen == false)
    #expect(try store.events().map(\.kind) == [.findingOpened, .findingClosed])
    #expect(store.lines.count == 2)
  }

  /// Findings and events are one transaction, each checkpoint is another.
  @Test(
    "what a failed save left out is made good, once",
    arguments: [("finding", false), ("event", false), ("detector_checkpoint", false), ("finding", true)])
  func savesAgain(table: String, isKilled: Bool) throws {
    let store = try WatchedStore()
    try store.pass(60)
    // Before the first checkpoint, where it is about these.
    let other = try WatchedStore()
    let tested = table == "detector_checkpoint" ? other : store
    try tested.refuse(insertsInto: table)
    if table == "detector_checkpoint" { try tested.pass(60) }
    try tested.pass(20, latency: 160_000)
    #expect(tested.failures > 0)
    if table != "detector_checkpoint" {
      #expect(try tested.findings().isEmpty && tested.events().isEmpty && tested.lines.isEmpty)
    }
    try tested.refuse(insertsInto: nil)
    if isKilled { try tested.restart(isKilled: true) }
    let failures = tested.failures
    try tested.pass(5, latency: 160_000)
    #expect(try tested.findings().count == 1)
    #expect(try tested.events().map(\.kind) == [.findingOpened])
    try tested.pass(40)
    #expect(tested.failures == failures)
    #expect(try tested.findings().count == 1)
    #expect(try tested.events().map(\.kind) == [.findingOpened, .findingClosed])
    #expect(tested.lines.count == 2)
  }
}
