import Foundation
import TestKit
import Testing

/// The engine of ClickHouse on loopback, in which an installation's rows are gathered.
struct FleetEngine {
  let port: Int
  private let directory: TemporaryDirectory

  static let isAvailable = Python.has("chdb")

  /// Takes a port; the engine is started with ``start()``.
  init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    port = try FreePort.take()
  }

  /// The section of the configuration for it.
  var configuration: String {
    """
    labels: { region: eu-west }
    fleet:
      url: http://127.0.0.1:\(port)
      writer: { user: pushscope_writer }
      reader: { user: pushscope_reader }

    """
  }

  func start() throws -> RunningProcess {
    try FreePort.listening(on: port) {
      try RunningProcess(
        Programs.python,
        ["-X", "utf8", Programs.scripts + "/clickhouse_front.py", directory.file("engine"), "\(port)"],
        input: .open)
    }
  }

  func ask(_ query: String) throws -> [[String]] {
    let outcome = try run(
      "curl", ["-sS", "--fail-with-body", "http://127.0.0.1:\(port)", "--data-binary", query])
    guard outcome.status == 0 else { throw NeverHappened(what: query, seen: outcome.output + outcome.error) }
    return outcome.output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Counts and sums of every settled notification, from both sides.
  func expectAgreement(with installation: Installation) throws {
    let figures = """
      count(*), sum(sequence), sum(coalesce(service_us, 0)), sum(coalesce(accept_us, 0)), sum(coalesce(delivery_us, 0)),
      sum(coalesce(schedule_lag_us, 0)), sum(coalesce(payload_bytes, 0)), sum(duplicates)
      """
    let grouping = "WHERE state <> 'planned' GROUP BY state, target ORDER BY state, target"
    let local = try installation.query("SELECT state, target, \(figures) FROM sample_view \(grouping)")
    let remote = try ask("SELECT state, target, \(figures) FROM pushscope.sample_view \(grouping)")
    #expect(!local.isEmpty && remote == local)
    for table in ["receipt", "event", "log"] {
      let count = "SELECT count(*), sum(revision) FROM"
      #expect(
        try ask("\(count) pushscope.\(table) FINAL") == installation.query("\(count) \(table)"), "\(table)")
    }
  }
}
