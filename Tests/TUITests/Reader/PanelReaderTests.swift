import Findings
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import TUI

@Suite("What panels read")
struct PanelReaderTests {
  private static func finding(_ id: String, _ run: RunID, at start: WallTime) -> FindingRecord {
    FindingRecord(
      id: id, incident: id, run: run, target: "loopback", variant: "", provider: "loopback", endpoint: "",
      device: "sim", metric: .delivery, kind: .slower, status: .open, startedAt: start, detectedAt: start,
      seenUntil: start)
  }

  /// A source by reference, so that it can be asked inside of expectations.
  private final class Watcher {
    private var source: SnapshotSource

    init(_ fixture: RecordedStore) {
      source = SnapshotSource(
        place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    }

    func poll() -> Snapshot? { source.poll(nil) }

    func show(_ order: PanelOrder) { source.show(order) }
  }

  @Test("findings are read with the run, and again when one changes, but not more than once a second")
  func findings() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let source = Watcher(fixture)
    #expect(source.poll()?.panels.findings.isEmpty == true)
    var changes = FindingChanges()
    changes.findings = [Self.finding("aaaaaaaa", run, at: fixture.clock.wallNow())]
    try fixture.collector?.save(changes)
    fixture.clock.advance(by: .seconds(2))
    let snapshot = try #require(source.poll())
    #expect(snapshot.panels.findings.map(\.id) == ["aaaaaaaa"] && snapshot.panels.findings[0].isOpen)
    changes.findings = [Self.finding("bbbbbbbb", run, at: fixture.clock.wallNow())]
    try fixture.collector?.save(changes)
    _ = source.poll()
    fixture.clock.advance(by: .seconds(2))
    #expect(source.poll()?.panels.findings.count == 2)
    // Hidden ones are left out at once, without any other change.
    try fixture.collector?.setHidden(true, finding: "aaaaaaaa")
    fixture.clock.advance(by: .seconds(2))
    #expect(source.poll()?.panels.findings.map(\.id) == ["bbbbbbbb"])
  }

  @Test("targets that reloads removed are known without findings, until a reload begins them again")
  func removedTargets() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(targets: ["a", "b"])
    try fixture.commit(inserted: [fixture.delivered(1)])
    let source = Watcher(fixture)
    func removed(after targets: ReloadedTargets) throws -> Set<String> {
      let detail = (["SIGHUP"] + targets.words).joined(separator: ReloadedTargets.separator)
      try fixture.collector?.record(
        [Event(at: fixture.clock.wallNow(), kind: .configReloaded, detail: detail)], run: run)
      fixture.clock.advance(by: .seconds(6))
      return Set(try #require(source.poll()).panels.removed.keys)
    }
    #expect(try removed(after: ReloadedTargets(ended: ["a"])) == ["a"])
    #expect(try removed(after: ReloadedTargets(ended: ["b"])) == ["a", "b"])
    #expect(try removed(after: ReloadedTargets(begun: ["a"])) == ["b"])
  }

  @Test("figures of targets are those of the window, read only while the table is shown")
  func targets() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b"])
    var samples: [Sample] = (1...500).map { (sequence: Int64) in
      fixture.delivered(sequence, at: sequence * 10, after: 100_000 + sequence * 100)
    }
    samples += (1...500).map { (sequence: Int64) in
      var sample = fixture.delivered(sequence, target: 1, at: sequence * 10)
      if sequence.isMultiple(of: 5) { (sample.state, sample.deliveryLatency) = (.lost, nil) }
      return sample
    }
    try fixture.commit(inserted: samples)
    let source = Watcher(fixture)
    #expect(source.poll()?.panels.targets == nil)
    let start = WallTime(microseconds: 1_749_996_120_000_000)
    let window = start..<start.advanced(byMicroseconds: 2_505_000)
    source.show(PanelOrder(targetWindow: window))
    let table = try #require(source.poll()?.panels.targets)
    #expect(table.window == window && table.rows.map(\.counts.due) == [250, 250])
    #expect(table.rows.map { $0.counts[.lost] } == [0, 50])
    let median = try #require(table.rows[0].median)
    #expect(median.value == 112_500 && (median.low ?? .max) <= 112_500 && (median.high ?? 0) >= 112_500)
    // Another window is read when the last reading is a second ago.
    let other = start..<start.advanced(byMicroseconds: 1_005_000)
    source.show(PanelOrder(targetWindow: other))
    #expect(source.poll()?.panels.targets?.window ?? window == window)
    fixture.clock.advance(by: .seconds(2))
    #expect(source.poll()?.panels.targets?.rows.map(\.counts.due) == [100, 100])
    // So is another metric.
    source.show(PanelOrder(targetWindow: other, targetMetric: .service))
    fixture.clock.advance(by: .seconds(2))
    let service = try #require(source.poll()?.panels.targets)
    #expect(service.rows.allSatisfy { $0.metric == .service && $0.counts.due == 100 && $0.median != nil })
  }

  @Test("a target without receipts keeps its metric where a device's is chosen")
  func withoutReceipts() throws {
    let fixture = try RecordedStore()
    _ = try fixture.begin(
      [
        TargetDescription(name: "a", provider: "fcm", receiptDeadline: 5_000_000, askedRate: 4),
        TargetDescription(name: "b", provider: "http", receiptDeadline: nil, askedRate: 4),
      ])
    for (chosen, expected) in [
      (nil, [.delivery, .accept]), (.delivery, [.delivery, .accept]), (.service, [.service, .service]),
    ] as [(Metric?, [Metric])] {
      let source = Watcher(fixture)
      let start = fixture.clock.wallNow()
      source.show(PanelOrder(targetWindow: start..<start + .seconds(1), targetMetric: chosen))
      #expect(source.poll()?.panels.targets?.rows.map(\.metric) == expected)
    }
  }

  @Test("a notification is read with its receipts and what happened around it")
  func notification() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let sample = fixture.delivered(7, at: 1_000)
    func event(_ milliseconds: Int64, _ kind: EventKind, _ sequence: Int64?) -> Event {
      Event(
        at: sample.plannedAt.advanced(byMicroseconds: milliseconds * 1_000), kind: kind,
        target: sample.id.target, sequence: sequence, detail: "")
    }
    try fixture.commit(
      inserted: [sample],
      events: [
        event(-9_000, .connected, nil), event(-100, .goaway, nil), event(50, .duplicate, 7),
        event(60, .lost, 8), event(9_000, .disconnected, nil),
      ])
    let source = Watcher(fixture)
    _ = source.poll()
    source.show(PanelOrder(notification: sample.id))
    let record = try #require(source.poll()?.panels.notification)
    #expect(record.sample == sample && record.target == "loopback" && record.receiptDeadline == .seconds(30))
    #expect(record.events.map(\.kind) == [.goaway, .duplicate])
    source.show(PanelOrder())
    #expect(source.poll()?.panels.notification == nil)
  }
}
