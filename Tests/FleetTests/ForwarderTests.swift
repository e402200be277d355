import Configuration
import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import TestTraits
import Testing

@testable import Fleet
@testable import Store

/// What a store has is in the fleet afterwards, whatever happens to it before.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable)) struct ForwarderTests {
  private let engine: TestEngine
  private let fixture: StoreFixture
  private let reader: StoreReader

  init() throws {
    engine = try TestEngine()
    try engine.setUp()
    fixture = try StoreFixture()
    reader = try fixture.reader()
  }

  private func forwarder(_ store: CollectorStore? = nil) throws -> Forwarder {
    let store = store ?? fixture.store
    return try Forwarder(engine.configuration, store: store, reader: try StoreReader.open(at: store.path))
  }

  private func refusal(_ body: () throws -> Void) -> FleetError.Code? {
    do { try body() } catch { return (error as? FleetError)?.code }
    return nil
  }

  private var comparison: FleetComparison { FleetComparison(engine: engine, store: fixture.store) }

  /// Rows of every kind, with text that means something to SQL, TSV, JSON and terminals.
  private func fill(_ count: Int = 40) throws {
    let hostile = "🧨a'b\"c`d\\e\tf\ng\u{1B}[31m\u{202E}; DROP TABLE sample --"
    let plans = fixture.plans(fixture.alpha, count: count)
    let others = fixture.plans(fixture.beta, count: 10)
    try fixture.commit(inserted: plans + others)
    var changed = plans.prefix(count - 3).map { $0.asDelivered(41_000 + $0.id.sequence) }
    changed[1] = plans[1].asRejected(hostile)
    changed[2] = plans[2].asMissed(.lag)
    changed[3] = plans[3].asSent
    let now = fixture.clock.wallNow()
    try fixture.commit(
      updated: changed + others.prefix(5).map(\.asSent),
      receipts: changed.prefix(9).map {
        Receipt(
          sample: $0.id, device: "phone", receivedAt: now, arrivedAt: now, isSameClock: false, offset: -5,
          offsetError: 7, isDuplicate: false)
      },
      events: [
        Event(at: now, kind: .disconnected, target: fixture.alpha, connectionID: 3, detail: hostile),
        Event(at: now, kind: .clockStep, detail: ""),
      ],
      log: [LogLine(at: now, level: .warning, label: "curl", message: hostile)],
      pings: [PingAnswer(target: fixture.alpha, connectionID: 3, at: now, roundTrip: 812)])
    try fixture.store.record([Event(at: now, kind: .configReloaded, detail: "of the collector")], run: nil)
  }

  @Test func everyRowAndColumnArrives() throws {
    try fill()
    #expect(try reader.forwardBacklog() > 50)
    let forwarder = try forwarder()
    let rows = try forwarder.all()
    #expect(rows > 50)
    try comparison.check()
    #expect(try engine.count("SELECT count() FROM DB.sample WHERE state = 'planned'") == 0)
    #expect(try reader.forwardBacklog() == 0)
    #expect(try forwarder.all() == 0)
    #expect(try engine.count("SELECT length(labels) FROM DB.run") == 0)

    // What changes later arrives too.
    let late = fixture.plans(fixture.beta, count: 5).map { $0.asDelivered(9_999_999) }
    try fixture.commit(updated: late)
    try fixture.store.rename(fixture.run, to: "Früh\t'x' 🧨`--")
    #expect(try forwarder.all() == 6)
    try comparison.check()
    #expect(try engine.count("SELECT count() FROM DB.sample_view WHERE delivery_us = 9999999") == 5)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try forwarder.all()
    try comparison.check()
    // With the meaning of the CSV.
    let run = try #require(try reader.run(fixture.run))
    #expect(
      try engine.rows("SELECT sent, end_reason, targets, accepted, delivered FROM DB.run_view") == [
        [
          "\(run.counts.sent)", "completed", run.targetNames.sorted().joined(separator: " "),
          "\(run.counts.acceptedByProvider)", "\(run.counts[.delivered])",
        ]
      ])
  }

  /// A NUL ends no text.
  @Test func textWithNULArrivesWhole() throws {
    let now = fixture.clock.wallNow()
    try fixture.commit(
      events: [Event(at: now, kind: .disconnected, detail: "a\u{0}b")],
      log: [LogLine(at: now, level: .info, label: "l", message: "\u{0}'; DROP TABLE log --")])
    try forwarder().all()
    #expect(
      try engine.rows("SELECT hex(detail) FROM DB.event FINAL WHERE kind = 'disconnected'") == [["610062"]])
    #expect(
      try engine.count("SELECT count() FROM DB.log FINAL WHERE message = '\\0\\'; DROP TABLE log --'") == 1)
  }

  @Test func rowsThatAreSentAgainChangeNothing() throws {
    try fill()
    try forwarder().all()
    try fixture.store.queue.inDatabase { try $0.execute(sql: "UPDATE forward_cursor SET revision = 0") }
    #expect(try forwarder().all() > 50)
    try comparison.check()
  }

  @Test func largeStoresTravelInParts() throws {
    let plans = fixture.plans(fixture.alpha, count: 25_000)
    for start in stride(from: 0, to: plans.count, by: 5_000) {
      let part = Array(plans[start..<start + 5_000])
      try fixture.commit(inserted: part)
      try fixture.commit(updated: part.map { $0.asDelivered() })
    }
    let forwarder = try forwarder()
    var most = 0
    while true {
      let step = try forwarder.step()
      most = max(most, step.rows)
      if !step.isMore { break }
    }
    #expect(most <= 10_003)
    #expect(try engine.count("SELECT count() FROM DB.sample FINAL") == 25_000)
    #expect(
      try engine.rows("SELECT sum(delivery_us), sum(sequence) FROM DB.sample FINAL").first
        == ["\(25_000 * 41_000)", "\(25_000 * 25_001 / 2)"])
  }

  @Test func aDeletedRunIsGone() throws {
    try fill()
    let forwarder = try forwarder()
    try forwarder.all()
    #expect(try engine.count("SELECT count() FROM DB.sample_view") > 30)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try fixture.store.beginDeletion(of: fixture.run)
    try forwarder.all()
    for view in ["sample", "receipt", "run", "path", "target"] {
      #expect(try engine.count("SELECT count() FROM DB.\(view)_view") == 0)
    }
    while try fixture.store.continueDeletion() {}
    try forwarder.all()
    try comparison.check()
    #expect(try engine.count("SELECT count() FROM DB.event_view WHERE run IS NOT NULL") == 0)
    #expect(try FleetStatus.fetch(engine.configuration).collectors.isEmpty)
    // The administrator's setup removes the rows themselves.
    #expect(try engine.setUp().purgedRuns == 1)
  }

  @Test func aNewFleetBeginsAtTheBeginning() throws {
    try fill()
    let forwarder = try forwarder()
    try forwarder.all()
    _ = try engine.rows("DROP DATABASE \(EngineText.identifier("push`scope"))")
    try fixture.commit(updated: [fixture.plans(fixture.beta, count: 1)[0].asDelivered()])
    let error = #expect(throws: FleetError.self) { try forwarder.all() }
    #expect(error?.code == .noSchema)
    try engine.setUp()
    #expect(try forwarder.all() > 50)
    try comparison.check()
  }

  /// Rows written after a backup have revisions that the fleet knows as other rows.
  @Test func aRestoredBackupGoesOnWithoutTakingPlaces() throws {
    try fill()
    try forwarder().all()
    let copy = try fixture.directory.killedCopy()
    let changed = fixture.plans(fixture.alpha, count: 20).map { $0.asDelivered(77_000) }
    try fixture.commit(
      inserted: fixture.plans(fixture.alpha, from: 100, count: 50),
      updated: changed,
      events: [Event(at: fixture.clock.wallNow(), kind: .disconnected, detail: "lost with the disk")])
    try forwarder().all()
    let highest = try engine.count("SELECT max(revision) FROM DB.sample")
    fixture.store.close()

    let restored = try fixture.reopened(copy)
    defer { restored.close() }
    try restored.record(
      [Event(at: fixture.clock.wallNow(), kind: .configReloaded, detail: "after the restore")], run: nil)
    try forwarder(restored).all()
    try FleetComparison(engine: engine, store: restored).check(isOnlyOne: false)
    #expect(try engine.count("SELECT count() FROM DB.event FINAL WHERE detail = 'lost with the disk'") == 1)
    #expect(try engine.count("SELECT count() FROM DB.event FINAL WHERE detail = 'after the restore'") == 1)
    #expect(try engine.count("SELECT count() FROM DB.sample FINAL WHERE delivery_us = 77000") == 0)
    #expect(
      try engine.count("SELECT min(revision) FROM DB.event WHERE detail = 'after the restore'") > highest)
    let next = try restored.transaction { _, _ in }
    #expect(Int(next) > highest)
  }

  /// Rows of before the backup, which the original forwarded after it, are the same rows.
  @Test func aBackupOfAStoreThatWaitedForTheFleetHasEachRowOnce() throws {
    try fill()
    try forwarder().all()
    // Opened while the engine is away, and written to.
    fixture.store.close()
    let original = try fixture.reopened()
    let now = fixture.clock.wallNow()
    let plans = fixture.plans(fixture.alpha, from: 200, count: 20)
    _ = try original.commit(WriteBatch(run: fixture.run, inserted: plans))
    _ = try original.commit(
      WriteBatch(
        run: fixture.run, updated: plans.map { $0.asDelivered(41_000) },
        receipts: plans.map {
          Receipt(
            sample: $0.id, device: "phone", receivedAt: now, arrivedAt: now, isSameClock: false, offset: -5,
            offsetError: 7, isDuplicate: false)
        },
        events: [Event(at: now, kind: .configReloaded, detail: "before the backup")],
        log: [LogLine(at: now, level: .info, label: "a", message: "before the backup")]))
    let copy = try fixture.directory.killedCopy()
    try original.record([Event(at: now, kind: .configReloaded, detail: "lost with the disk")], run: nil)
    try forwarder(original).all()
    original.close()

    let restored = try fixture.reopened(copy)
    defer { restored.close() }
    try restored.record([Event(at: now, kind: .configReloaded, detail: "after the restore")], run: nil)
    try forwarder(restored).all()
    for detail in ["before the backup", "lost with the disk", "after the restore"] {
      #expect(
        try engine.count("SELECT count() FROM DB.event FINAL WHERE detail = '\(detail)'") == 1, "\(detail)")
    }
    #expect(try engine.count("SELECT count() FROM DB.log FINAL WHERE message = 'before the backup'") == 1)
    let receipts = try restored.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM receipt") }
    #expect(try engine.count("SELECT count() FROM DB.receipt FINAL") == receipts)
    try FleetComparison(engine: engine, store: restored).check(isOnlyOne: false)
  }

  /// Until another fleet has been reached, nothing counts as forwarded to it.
  @Test func nothingIsForwardedWhereNobodyAnsweredYet() throws {
    try fill()
    try forwarder().all()
    #expect(try reader.forwardBacklog() == 0)
    let place = Forwarder.place(of: engine.configuration)
    try fixture.store.expectForwarding(at: place)
    #expect(try reader.forwardBacklog() == 0)
    try fixture.store.expectForwarding(at: "https://elsewhere.example.com:8443/pushscope")
    let all = try reader.forwardBacklog()
    #expect(try all > 50 && reader.forwardPause()?.rows == all)
    let fleet = try FleetStatus.fetch(engine.configuration).id
    #expect(try reader.forwardBacklog(of: fleet) == 0 && reader.forwardBacklog(of: "another") == all)
    try forwarder().all()
    #expect(try reader.forwardBacklog() == 0 && reader.forwardPause() == nil)
  }

  /// A copy that was adopted sends what it recorded itself, and nothing of what is the original's.
  @Test func anAdoptedCopyHasRowsOfItsOwn() throws {
    try fill()
    try forwarder().all()
    let copy = try fixture.directory.killedCopy()
    try fixture.commit(updated: fixture.plans(fixture.beta, count: 5).map { $0.asDelivered(55_000) })
    let ids = try StoreAdministration.adopt(copy, clock: fixture.clock)
    let adopted = try fixture.reopened(copy)
    defer { adopted.close() }
    var generator = SeededGenerator(seed: 7)
    let run = RunID(at: fixture.clock.wallNow(), using: &generator)
    _ = try adopted.beginRun(StoreFixture.description(of: run, fixture.clock))
    try forwarder(adopted).all()
    try forwarder().all()
    try comparison.check()
    let since = try adopted.queue.read { try Int64.fetchOne($0, sql: "SELECT max(revision) FROM adoption") }
    try FleetComparison(engine: engine, store: adopted, after: try #require(since)).check()
    #expect(
      try engine.rows("SELECT toString(collector) FROM DB.run FINAL WHERE run = '\(run)'") == [
        [ids.after.uuidString.lowercased()]
      ])
  }

  @Test func noServerNoSchemaNoRight() throws {
    try fill()
    let free = try FreePort.take()
    let unreachable = try Forwarder(
      engine.configuration(ports: [free]), store: fixture.store, reader: reader)
    #expect(refusal { _ = try unreachable.all() } == .unreachable)
    // The next server is tried.
    let two = try Forwarder(
      engine.configuration(ports: [free, engine.port]), store: fixture.store, reader: reader)
    try two.all()
    try comparison.check()

    _ = try engine.rows("INSERT INTO DB.schema_version VALUES (99, 'x', now64(6))")
    #expect(refusal { _ = try forwarder().all() } == .newerSchema)
    #expect(refusal { _ = try engine.setUp() } == .newerSchema)

    try engine.kill()
    try engine.start(users: ["writer:right"])
    let file = try fixture.directory.write("password", "wrong\n")
    let denied = try Forwarder(
      engine.configuration(ports: [engine.port], passwordFile: file), store: fixture.store, reader: reader)
    let error = #expect(throws: FleetError.self) { try denied.all() }
    #expect(error?.code == .denied)
    #expect(error.map { "\($0)".contains("wrong") } == false)
  }

  @Test func setupMayBeRepeated() throws {
    let again = try engine.setUp()
    #expect(again.versionBefore == FleetSchema.version && again.engine.hasPrefix("2"))
    #expect(try engine.count("SELECT count() FROM DB.schema_version") == Int(FleetSchema.version))
    let status = try FleetStatus.fetch(engine.configuration)
    #expect(status.id == again.id && status.collectors.isEmpty)
    try fill()
    try forwarder().all()
    let collector = try #require(try FleetStatus.fetch(engine.configuration).collectors.first)
    #expect(collector.id == fixture.store.collectorID.uuidString.lowercased() && collector.runs == 1)
    #expect(collector.notifications > 40 && collector.newest != nil)
  }

  @Test func anOlderDatabaseIsMigrated() throws {
    try fill()
    try forwarder().all()
    let index = "SELECT count() FROM system.data_skipping_indices WHERE table = 'sample' AND name = 'planned'"
    #expect(try engine.count(index) == 1)
    // As version 1 left it.
    _ = try engine.rows("ALTER TABLE DB.sample DROP INDEX planned")
    let id = try #require(try engine.rows("SELECT any(fleet) FROM DB.schema_version").first?.first)
    _ = try engine.rows("TRUNCATE TABLE DB.schema_version")
    _ = try engine.rows("INSERT INTO DB.schema_version VALUES (1, '\(id)', now64(6))")
    #expect(try engine.count(index) == 0)
    #expect(refusal { _ = try forwarder().all() } == .olderSchema)
    let outcome = try engine.setUp()
    #expect(outcome.versionBefore == 1)
    #expect(try engine.count(index) == 1)
    try forwarder().all()
    try comparison.check()
  }

  /// config/grafana/fleet.json, with values in place of its variables and of the data source's macros.
  @Test func theGrafanaFileAsksWhatTheEngineAnswers() throws {
    try fill()
    try forwarder().all()
    let data = try Data(contentsOf: URL(fileURLWithPath: Programs.repository + "/config/grafana/fleet.json"))
    let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
    let variables = (dashboard["templating"] as? [String: Any])?["list"] as? [[String: Any]] ?? []
    let queries =
      panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { $0["rawSql"] as? String }
      + variables.compactMap { $0["definition"] as? String }
    #expect(queries.count >= 9)
    for query in queries {
      let statement = query.replacing(#/\$__timeFilter\((\w+)\)/#) {
        "\($0.1) > toDateTime64('2000-01-01 00:00:00', 6)"
      }
      .replacing("${region:singlequote}", with: "'', 'eu-west'").replacing(
        "${target:singlequote}", with: "'alpha', 'beta'"
      )
      .replacing("pushscope.", with: "DB.")
      #expect(!statement.contains("$"), "\(statement)")
      let rows = try engine.rows(statement)
      // A line of nothing but an empty text is none here.
      #expect(
        !rows.isEmpty || query.contains("finding_view") || query.contains("DISTINCT labels"), "\(query)")
    }
  }
}
