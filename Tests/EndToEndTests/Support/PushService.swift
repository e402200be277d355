import Foundation
import TestKit
import Testing

/// The push service on python-h2 (Tests/Support/push_service.py), with a certificate by openssl: it shares no code with the
/// program under test.
struct PushService {
  let process: RunningProcess
  let script: String

  /// Starts it at the station's endpoint; its device posts to the station's listener.
  init(_ station: Station, _ options: [String]) throws {
    _ = try Certificates(in: station.directory)
    script = station.directory.file("script.jsonl")
    let credentials = station.directory.file("loopback")
    process = try RunningProcess(
      Programs.python,
      [
        Programs.scripts + "/push_service.py", "--port", "\(station.loopbackPort)", "--cert",
        credentials + "/server.pem", "--key", credentials + "/server.key", "--ca", credentials + "/ca.pem",
        "--receipts", "https://127.0.0.1:\(station.receiptsPort)", "--script", script,
      ] + options)
    try eventually("the push service listens", seen: { [process] in process.standardError }) {
      [process] in process.standardOutput.contains("listening") ? true : nil
    }
  }

  /// Ends it; the script is then complete.
  func stop() throws {
    try process.stop()
  }

  /// Compares the station's store with a script (Tests/Support/check_run.py).
  /// - Returns: the figures it printed.
  @discardableResult
  static func check(_ station: Station, script: String, killed: Bool = false) throws -> [String: Any] {
    let result = try run(
      Programs.python,
      [Programs.scripts + "/check_run.py", station.store, script] + (killed ? ["--killed"] : []))
    #expect(result.status == 0, "\(result.error)")
    let figures = try? JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(figures as? [String: Any], "\(result.output)")
  }
}
