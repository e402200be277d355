import Foundation
import TestKit
import TestTraits
import Testing

/// HTTP/1.1 and HTTP/2 are spoken by different code: a service that gives the same answers, faults among them, over both leaves
/// the same rows behind.
@Suite(
  "The same answers over HTTP/1.1 and HTTP/2", .ownThread,
  .enabled(if: Python.has("hpack") && Programs.has("openssl", "sqlite3")),
  .timeLimit(.minutes(10)))
struct LaneComparisonTests {
  /// Instants, durations and connections differ from run to run: of these only whether there is a value counts.
  private static let measured: Set = [
    "planned_at", "planned_monotonic_us", "schedule_lag_us", "service_us", "accept_us", "timestamp_source",
    "connection_id", "connection_age_ms", "fresh_connection", "streams_in_flight", "http_version",
  ]
  /// Counters of changes, and what only the first request of a connection has. After a fault HTTP/1.1 needs a new connection
  /// where HTTP/2 ends one stream.
  private static let others: Set = [
    "revision", "dns_us", "connect_us", "tls_us", "path_us", "peer_ack_us",
  ]

  @Test("row by row") func rowByRow() throws {
    let installation = try Installation()
    let files = try ProviderFiles(in: installation)
    _ = files
    let service = try HostileService(installation, ["h1:script", "h2:script"])
    func rows(over name: String) throws -> (columns: [String], rows: [[String]], http: [[String]]) {
      let store = installation.directory.file("\(name).sqlite")
      let target = ProviderFiles.target(
        "probe", "http", port: service.ports["\(name):script"] ?? 1,
        more: ["schedule: { rate: 8/s }", "timeout: 8s", "max_lag: 60s"])
      try installation.directory.write("pushscope.yaml", "targets:\n\(target)\n")
      let collector = try RunningProcess(
        Programs.pushscope,
        ["collect", "--config", installation.configuration, "--store", store, "--count", "32"])
      #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
      let columns = try installation.query("SELECT name FROM pragma_table_info('sample')", in: store).map {
        $0[0]
      }
      .filter { !Self.others.contains($0) }
      let list = columns.map { Self.measured.contains($0) ? "\($0) IS NOT NULL" : "quote(\($0))" }
      return (
        columns,
        try installation.query("SELECT \(list.joined(separator: ", ")) FROM sample ORDER BY id", in: store),
        try installation.query(
          "SELECT DISTINCT http_version FROM sample WHERE http_version IS NOT NULL", in: store)
      )
    }
    let first = try rows(over: "h1")
    let second = try rows(over: "h2")
    #expect(
      first.columns == second.columns && first.columns.contains("state") && first.columns.contains("reason"))
    #expect(first.rows.count == 32 && second.rows.count == 32)
    #expect(first.http != second.http && first.http.count == 1 && second.http.count == 1)
    for (old, new) in zip(first.rows, second.rows) {
      let differing = zip(first.columns, zip(old, new)).filter { $0.1.0 != $0.1.1 }
      #expect(differing.isEmpty, "\(old[0]): \(differing.map { "\($0.0): \($0.1.0), \($0.1.1)" })")
    }
    // The script is one of answers and of faults.
    let state = try #require(first.columns.firstIndex(of: "state"))
    #expect(Set(first.rows.map { $0[state] }).count >= 3)
  }
}
