import Foundation
import TestKit
import Testing

/// A directory with everything for a run against the loopback service: credentials, configuration, store.
final class Installation: Sendable {
  let directory: TemporaryDirectory
  let loopbackPort: Int
  let receiptsPort: Int

  var store: String { directory.file("pushscope.sqlite") }
  var configuration: String { directory.file("pushscope.yaml") }

  /// - Parameters:
  ///   - target: further lines of the target, as YAML.
  init(rate: String = "50/s", target: [String] = [], endpointPort: Int? = nil, provider: String = "loopback")
    throws
  {
    directory = try TemporaryDirectory()
    receiptsPort = try FreePort.take()
    loopbackPort = try endpointPort ?? FreePort.take()
    try directory.write("receipts.secret", "0123456789abcdef0123456789abcdef\n")
    let lines =
      [
        "collector:",
        "  receipts: { listen: 127.0.0.1:\(receiptsPort), certificate_file: loopback/server.pem, key_file: loopback/server.key,"
          + " secret_file: receipts.secret }",
        "targets:",
        "  - name: loopback",
        "    provider: \(provider)",
        "    endpoint: https://127.0.0.1:\(loopbackPort)",
        "    ca_file: loopback/ca.pem",
        "    schedule: { arrivals: constant, rate: \(rate) }",
      ] + target.map { "    " + $0 }
    try directory.write("pushscope.yaml", lines.joined(separator: "\n") + "\n")
  }

  /// Starts the loopback service with a scenario and waits until it listens.
  func startLoopback(scenario: String? = nil, extra: [String] = [], environment: [String: String] = [:])
    throws -> RunningProcess
  {
    var arguments = [
      "loopback", "--port", "\(loopbackPort)", "--credentials", directory.file("loopback"),
      "--receipts", "https://127.0.0.1:\(receiptsPort)",
    ]
    if let scenario { arguments += ["--scenario", try directory.write("scenario.yaml", scenario)] }
    let service = try RunningProcess(Programs.pushscope, arguments + extra, environment: environment)
    try service.waitFor(output: "https://")
    return service
  }

  func collect(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProcess {
    try RunningProcess(
      Programs.pushscope, ["collect", "--config", configuration, "--store", store] + arguments,
      environment: environment)
  }

  /// Rows of a query, read by the sqlite3 shell, which is independent of this project.
  /// - Parameter store: another one than the installation's own.
  func query(_ sql: String, in store: String? = nil) throws -> [[String]] {
    let result = try run(
      "sqlite3", ["-readonly", "-cmd", ".timeout 5000", "-separator", "\t", store ?? self.store, sql])
    guard result.status == 0 else { throw NeverHappened(what: sql, seen: result.error) }
    return result.output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Counts of notifications per state; empty while there is no store.
  func states() throws -> [String: Int] {
    var states: [String: Int] = [:]
    guard FileManager.default.fileExists(atPath: store) else { return states }
    for row in (try? query("SELECT state, count(*) FROM sample_view GROUP BY state")) ?? []
    where row.count == 2 {
      states[row[0]] = Int(row[1])
    }
    return states
  }

  /// Waits until more than `count` notifications are in a state.
  func waitFor(_ state: String, over count: Int, by collector: RunningProcess? = nil) throws {
    try eventually("more than \(count) are \(state)", seen: { collector?.standardError ?? "" }) {
      try states()[state] ?? 0 > count
    }
  }
}

/// Runs a program to its end.
@discardableResult
func run(
  _ program: String, _ arguments: [String], environment: [String: String] = [:],
  within limit: Duration = eventuallyLimit
) throws -> (status: Int32, output: String, error: String) {
  let outcome = try Programs.run(program, arguments, environment: environment, within: limit)
  return (outcome.status, outcome.output, outcome.error)
}

extension Installation {
  /// Makes what is recorded older by whole hours, as if the collector had been away since. Nobody may have the store.
  func age(hours: Int) throws {
    let shift = hours * 3_600_000_000
    let result = try run(
      "sqlite3",
      [
        store,
        """
        UPDATE sample SET planned_at = planned_at - \(shift);
        UPDATE receipt SET arrived_at = arrived_at - \(shift), received_at = received_at - \(shift);
        UPDATE run SET started_at = started_at - \(shift), ended_at = ended_at - \(shift);
        DELETE FROM rollup; DELETE FROM rollup_mark;
        """,
      ])
    guard result.status == 0 else {
      throw NeverHappened(what: "the store can be changed", seen: result.error)
    }
  }
}
