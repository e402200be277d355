import Formats
import Measurement
import Report
import Store
import StoreTestKit
import TestKit
import Testing

@Suite struct SamplesExportTests {
  /// One sample of each fate, with what only it has.
  private static func fixture() throws -> (RecordedStore, RunRegistration) {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, name: "first",
      [
        TargetDescription(
          name: "loopback", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4,
          variants: ["priority=5,push_type=alert", ""])
      ])
    let target = try #require(run["loopback"])
    let id = target.id
    var delivered = Sample.planned(id, 1, variant: target.variants[0]).accepted(lag: 60, service: 940)
      .delivered(after: 5000)
    delivered.duplicates = 1
    delivered.isOutOfOrder = true
    delivered.peerAck = 310
    delivered.path = 420
    delivered.connection = ConnectionUse(
      id: 1, age: 0, isFresh: true, streamsInFlight: 1,
      phases: ConnectionPhases(dns: 10, connect: 20, tls: 30))
    var rejected = Sample.planned(id, 3).sent(lag: 70)
    rejected.serviceTime = 500
    rejected.timestampSource = .callback
    rejected.httpVersion = .http1
    try fixture.commit(
      run.run,
      [
        delivered, .planned(id, 2),
        rejected.ended(.rejected, reason: "=cmd|' /C calc'!A0, \"x\"\u{1B}[2J", status: 410),
        Sample.planned(id, 4).ended(.missed, reason: "lag"),
      ])
    return (fixture, run)
  }

  private static let prefix = "019ca940-2b00-7"

  @Test func csvIsAsPublished() throws {
    let (fixture, run) = try Self.fixture()
    let rows = try fixture.rows(.samples)
    let ids = rows.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(rows.count == 4)
    let id = run.run.description
    func notification(_ sequence: Int64) -> String {
      NotificationID(run: run.run, sample: SampleID(target: run.targets[0].id, sequence: sequence))
        .description
    }
    #expect(ids[0][0] == id)
    #expect(
      rows == [
        "\(id),loopback,\"priority=5,push_type=alert\",loopback,1,\(notification(1)),2026-03-01T12:00:00.000000Z,2026-03-01T12:00:00.000060Z,2026-03-01T12:00:00.001000Z,2026-03-01T12:00:00.005000Z,delivered,200,,60,940,1000,5000,0,kernel,1,true,1,0,true,1,1,180,10,20,30,2,exact,5000,5000,310,420,",
        "\(id),loopback,,loopback,2,\(notification(2)),2026-03-01T12:00:00.250000Z,,,,planned,,,,,,,,,0,false,,,,,0,,,,,,,,,,,",
        "\(id),loopback,,loopback,3,\(notification(3)),2026-03-01T12:00:00.500000Z,2026-03-01T12:00:00.500070Z,,,rejected,410,\"'=cmd|' /C calc'!A0, \"\"x\"\"␛[2J\",70,500,,,,callback,0,false,1,1500,false,2,1,180,,,,1.1,,,,,,",
        "\(id),loopback,,loopback,4,\(notification(4)),2026-03-01T12:00:00.750000Z,,,,missed,,lag,,,,,,,0,false,,,,,0,,,,,,,,,,,",
      ])
  }

  @Test func jsonLinesHaveTheSameNamesAndAllOfThem() throws {
    let (fixture, run) = try Self.fixture()
    let lines = try fixture.export(.samples, .init(), .jsonl).split(separator: "\n")
    let id = run.run.description
    let notification = NotificationID(run: run.run, sample: SampleID(target: run.targets[0].id, sequence: 3))
    #expect(
      lines[2]
        == #"{"run":"\#(id)","target":"loopback","variant":null,"provider":"loopback","sequence":3,"notification_id":"\#(notification)","planned_at":"2026-03-01T12:00:00.500000Z","sent_at":"2026-03-01T12:00:00.500070Z","accepted_at":null,"received_at":null,"state":"rejected","status":410,"reason":"=cmd|' /C calc'!A0, \"x\"\u001b[2J","schedule_lag_us":70,"service_us":500,"accept_us":null,"delivery_us":null,"delivery_error_us":null,"timestamp_source":"callback","duplicates":0,"out_of_order":false,"connection_id":1,"connection_age_ms":1500,"fresh_connection":false,"streams_in_flight":2,"attempt":1,"payload_bytes":180,"dns_us":null,"connect_us":null,"tls_us":null,"http_version":"1.1","delivery_certainty":null,"delivery_low_us":null,"delivery_high_us":null,"peer_ack_us":null,"path_us":null,"shown_us":null}"#
    )
    #expect(lines.count == 4)
  }

  @Test func rowsAreOrderedByRunTargetSequence() throws {
    let fixture = try RecordedStore()
    let targets = ["b", "a"].map {
      TargetDescription(name: $0, provider: "http", receiptDeadline: nil, askedRate: 1)
    }
    for number in 0..<2 {
      let run = try fixture.begin(number, targets)
      let (a, b) = (try #require(run["a"]).id, try #require(run["b"]).id)
      try fixture.commit(run.run, [.planned(b, 1), .planned(a, 2), .planned(b, 2), .planned(a, 1)])
    }
    let keys = try fixture.rows(.samples).map {
      $0.split(separator: ",", omittingEmptySubsequences: false).enumerated()
        .filter { [0, 1, 4].contains($0.offset) }.map(\.element).joined(separator: " ")
    }
    #expect(keys.count == 8)
    #expect(keys == keys.sorted())
  }

  @Test func aSelectionLeavesOutTheRest() throws {
    let fixture = try RecordedStore()
    let targets = ["a", "b"].map {
      TargetDescription(name: $0, provider: "http", receiptDeadline: nil, askedRate: 1)
    }
    var runs: [RunRegistration] = []
    for number in 0..<2 {
      let run = try fixture.begin(number, targets)
      runs.append(run)
      for target in run.targets {
        try fixture.commit(run.run, (1...8).map { .planned(target.id, $0) })
      }
    }
    #expect(try fixture.rows(.samples, RowSelection(run: runs[1].run)).count == 16)
    #expect(try fixture.rows(.samples, RowSelection(targets: ["a"])).count == 16)
    let from = RecordedStore.start.advanced(byMicroseconds: 500_000)
    let to = RecordedStore.start.advanced(byMicroseconds: 1_000_000)
    let some = try fixture.rows(
      .samples, RowSelection(run: runs[0].run, targets: ["b"], since: from, until: to))
    #expect(some.map { $0.split(separator: ",", omittingEmptySubsequences: false)[4] } == ["3", "4"])
  }

  @Test func progressIsToldNowAndThen() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "http", receiptDeadline: nil, askedRate: 1)])
    try fixture.commit(run.run, (1...20_000).map { .planned(run.targets[0].id, $0) })
    var told: [Int64] = []
    let exporter = Exporter(reader: try fixture.reader()) { told.append($0) }
    let rows = try exporter.export(.samples, to: CountingSink())
    #expect(rows == 20_000)
    #expect(told == [8192, 16_384])
  }
}

/// Counts bytes and stores none.
private final class CountingSink: ByteSink {
  private(set) var count = 0

  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { count += bytes.count }

  /// Deletes all runs of a store when it is written to.
  private final class DeletingSink: ByteSink {
    private let path: String

    init(_ path: String) { self.path = path }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
      let outcome = try? Programs.run(
        "sqlite3", [path, "INSERT INTO deletion (run_id) SELECT id FROM run; DELETE FROM target"])
      #expect(outcome?.status == 0, "\(outcome?.error ?? "")")
    }
  }

  /// A table that ends with a part of its rows is no table.
  @Test(.enabled(if: Programs.has("sqlite3"))) func aRunThatIsDeletedMeanwhileIsAnError() throws {
    let store = try RecordedStore()
    let run = try store.begin(
      0, [TargetDescription(name: "loopback", provider: "loopback", receiptDeadline: nil, askedRate: 4)])
    let target = try #require(run["loopback"]).id
    try store.commit(run.run, (1...4_000).map { Sample.planned(target, $0).accepted(lag: 60, service: 940) })
    let exporter = Exporter(reader: try store.reader())
    let error = #expect(throws: ReportError.self) {
      try exporter.export(.samples, to: DeletingSink(store.path))
    }
    #expect(error?.code == .runVanished)
  }
}
