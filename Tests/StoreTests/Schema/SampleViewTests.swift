import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// The views as a stranger sees them, against what the typed readers give.
@Suite struct SampleViewTests {
  private static let columns = [
    "run", "target", "variant", "provider", "sequence", "notification_id", "planned_at", "sent_at",
    "accepted_at",
    "received_at", "state", "status", "reason", "schedule_lag_us", "service_us", "accept_us", "delivery_us",
    "delivery_error_us", "timestamp_source", "duplicates", "out_of_order", "connection_id",
    "connection_age_ms",
    "fresh_connection", "streams_in_flight", "attempt", "payload_bytes", "dns_us", "connect_us", "tls_us",
    "http_version", "delivery_certainty", "delivery_low_us", "delivery_high_us",
    "peer_ack_us", "path_us", "shown_us",
  ]

  /// The row that the contract asks for.
  private static func row(_ sample: Sample, run: RunID, target: TargetRecord) -> [String?] {
    func text(_ value: (some BinaryInteger)?) -> String? { value.map { "\($0)" } }
    let variant = target.variants.first { $0.id == sample.variant }?.name
    let use = sample.connection
    return [
      run.description, target.name, variant == "" ? nil : variant, target.provider, "\(sample.id.sequence)",
      NotificationID(run: run, sample: sample.id).description, sample.plannedAt.rfc3339,
      sample.scheduleLag.map { sample.plannedAt.advanced(byMicroseconds: $0).rfc3339 },
      sample.acceptLatency.map { sample.plannedAt.advanced(byMicroseconds: $0).rfc3339 },
      sample.receivedAt?.rfc3339, sample.state.name, text(sample.status),
      sample.reason,
      text(sample.scheduleLag), text(sample.serviceTime), text(sample.acceptLatency),
      text(sample.deliveryLatency),
      text(sample.deliveryError), sample.timestampSource?.name, "\(sample.duplicates)",
      "\(sample.isOutOfOrder)",
      text(use?.id), text(use?.age), use.map { "\($0.isFresh)" }, text(use?.streamsInFlight),
      "\(sample.attempt)",
      text(sample.payloadBytes), text(use?.phases?.dns), text(use?.phases?.connect), text(use?.phases?.tls),
      sample.httpVersion?.name, sample.deliveryCertainty?.rawValue,
      text(sample.deliveryRange?.low), text(sample.deliveryRange?.high), text(sample.peerAck),
      text(sample.path), text(sample.shownLatency),
    ]
  }

  private func filled() throws -> StoreFixture {
    let fixture = try StoreFixture()
    let alpha = fixture.plans(fixture.alpha, count: 19)
    let beta = fixture.plans(fixture.beta, count: 4)
    try fixture.commit(inserted: beta + alpha)
    var settled = [alpha[0].asDelivered(), alpha[1].asRejected("=1+1 \u{1F4E8}"), alpha[2].asMissed(.lag)]
    for (index, state) in NotificationState.allCases.enumerated() where index >= 3 && index < 10 {
      var sample = alpha[index]
      sample.state = state
      settled.append(sample)
    }
    // On one clock, with no clock exchange, with an exchange, and as version 3 recorded one.
    let ranges: [(error: Int64?, high: Int64?)] = [
      (0, nil), (41_000, 41_000), (50_000, 68_600), (30_000, 71_000), (30_000, nil), (41_000, nil),
      (nil, nil),
    ]
    for (index, range) in ranges.enumerated() {
      var sample = alpha[12 + index].asDelivered()
      (sample.deliveryError, sample.deliveryHigh) = range
      if index == 2 { sample.shownLatency = 90_000 }
      settled.append(sample)
    }
    try fixture.commit(updated: settled + [beta[1].asSent])
    return fixture
  }

  @Test func hasTheColumnsOfTheContract() throws {
    let fixture = try filled()
    let names = try fixture.store.queue.read { try $0.columns(in: "sample_view").map(\.name) }
    #expect(names == Self.columns)
    let events = try fixture.store.queue.read { try $0.columns(in: "event_view").map(\.name) }
    #expect(events == ["run", "at", "target", "kind", "connection_id", "sequence", "count", "detail"])
  }

  @Test(.enabled(if: Python.isUsable)) func givesWhatTheReadersGive() throws {
    let fixture = try filled()
    let reader = try fixture.reader()
    let targets = try reader.targets(of: fixture.run)
    var expected: [[String?]] = []
    try reader.forEachSample(RowSelection()) { row in
      let id = row.id.target
      let target = try #require(targets.first { $0.id == id })
      expected.append(Self.row(row.sample, run: fixture.run, target: target))
    }
    #expect(expected.count == 23)
    #expect(try Python.query("SELECT * FROM sample_view", of: fixture.directory.storePath) == expected)
  }

  @Test(.enabled(if: Python.isUsable)) func givesEvents() throws {
    let fixture = try filled()
    let at = fixture.clock.wallNow()
    try fixture.commit(events: [
      Event(
        at: at, kind: .goaway, target: fixture.beta, connectionID: 4, sequence: 8, count: 2, detail: "x,y"),
      Event(at: at.advanced(byMicroseconds: 1), kind: .suspended),
    ])
    let run = fixture.run.description
    #expect(
      try Python.query("SELECT * FROM event_view", of: fixture.directory.storePath) == [
        [run, at.rfc3339, "beta", "goaway", "4", "8", "2", "x,y"],
        [run, at.advanced(byMicroseconds: 1).rfc3339, nil, "suspended", nil, nil, "1", ""],
      ])
  }

  @Test func streamsWithoutASort() throws {
    let fixture = try filled()
    let plans = try fixture.store.queue.read { db in
      try [
        "SELECT * FROM sample_view", "SELECT * FROM sample_view WHERE run = 'x' AND target = 'y'",
        "SELECT * FROM event_view",
        """
        SELECT * FROM event WHERE run_id = 1 AND (at, revision) <= (7, 8) ORDER BY at DESC, revision DESC LIMIT 4
        """,
        "SELECT count(*) FROM log WHERE run_id = 1 AND (at, revision) < (7, 8)",
      ].map { sql in
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
      }
    }
    for plan in plans {
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
    for plan in plans[0...1] {
      #expect(plan.contains { $0.hasPrefix("SEARCH s USING INTEGER PRIMARY KEY") }, "\(plan)")
    }
    for (plan, index) in zip(plans[3...4], ["event_at", "log_at"]) {
      #expect(plan.count == 1 && plan[0].contains("INDEX \(index) (run_id=? AND "), "\(plan)")
    }
  }
}
