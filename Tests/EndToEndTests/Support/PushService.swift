import Foundation
import TestKit
import Testing

/// The push service on python-h2 (Tests/Support/push_service.py), with a certificate by openssl: it shares no code with the
/// program under test.
struct PushService {
  let process: RunningProcess
  let script: String

  /// Starts it at the installation's endpoint; its device posts to the installation's listener.
  init(_ installation: Installation, _ options: [String], environment: [String: String] = [:]) throws {
    _ = try Certificates(in: installation.directory)
    script = installation.directory.file("script.jsonl")
    let credentials = installation.directory.file("loopback")
    process = try RunningProcess(
      Programs.python,
      [
        Programs.scripts + "/push_service.py", "--port", "\(installation.loopbackPort)", "--cert",
        credentials + "/server.pem", "--key", credentials + "/server.key", "--ca", credentials + "/ca.pem",
        "--receipts", "https://127.0.0.1:\(installation.receiptsPort)", "--script", script,
      ] + options, environment: environment)
    try eventually("the push service listens", seen: { [process] in process.standardError }) {
      [process] in process.standardOutput.contains("listening") ? true : nil
    }
  }

  /// Ends it; the script is then complete.
  func stop() throws {
    try process.stop()
  }

  /// Compares the installation's store with a script (Tests/Support/check_run.py).
  /// - Returns: the figures it printed.
  @discardableResult
  static func check(_ installation: Installation, script: String, killed: Bool = false) throws -> [String:
    Any]
  {
    let result = try run(
      Programs.python,
      [Programs.scripts + "/check_run.py", installation.store, script] + (killed ? ["--killed"] : []))
    #expect(result.status == 0, "\(result.error)")
    let figures = try? JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(figures as? [String: Any], "\(result.output)")
  }
}
