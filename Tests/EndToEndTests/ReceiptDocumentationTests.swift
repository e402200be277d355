import Foundation
import TestKit
import TestTraits
import Testing

/// docs/receipts.md shows a device's calls as shell commands; this test runs them unchanged.
@Suite("Receipt calls by shell commands", .ownThread, .serialized)
struct ReceiptDocumentationTests {
  private static let root = URL(fileURLWithPath: Programs.repository)

  private func commands() throws -> [String] {
    let file = Self.root.appendingPathComponent("docs/receipts.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.components(separatedBy: "```sh\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  @Test("work as the page says", .timeLimit(.minutes(10)))
  func work() throws {
    let installation = try Installation(rate: "2/s", target: ["receipt_deadline: 120s"])
    // No notification reaches the service's own device.
    let service = try installation.startLoopback(scenario: "deliveries: { lost: 100% }\n")
    let collector = try installation.collect(["--drain", "0s"])
    try installation.waitFor("in_flight", over: 0, by: collector)
    let script = try commands()
    #expect(script.count == 4)
    let bash = try #require(Programs.find("bash"))
    let result = try run(
      bash, ["-euc", script.joined()],
      environment: [
        "COLLECTOR": "https://127.0.0.1:\(installation.receiptsPort)", "STORE": installation.store,
        "CA": installation.directory.file("loopback/ca.pem"),
        "SECRET": installation.directory.file("receipts.secret"),
      ])
    #expect(result.status == 0, "\(result.error)")
    let answers = result.output.replacingOccurrences(of: "}", with: "}\n").split(separator: "\n").filter {
      $0.hasPrefix("{")
    }
    #expect(answers.count == 4, "\(result.output)")
    if answers.count == 4 {
      #expect(
        answers[0].hasPrefix("{\"t1\":1") && answers[0].contains("\"t2\":1")
          && answers[0].contains("\"t3\":1"))
      #expect(answers[1] == #"{"accepted":1,"duplicate":0,"unknown":0,"refused":0}"#)
      #expect(answers[2] == answers[1], "word for word the same changes nothing and is answered as before")
      #expect(answers[3] == #"{"error":"wrong mac"}"#)
    }
    let rows = try installation.query(
      """
      SELECT r.device, r.same_clock, r.duplicate, abs(r.offset_us) <= r.offset_error_us, v.delivery_error_us > 0
      FROM receipt r JOIN sample_view v ON v.sequence = r.sample_id & 1099511627775
      """)
    // This shell's clock is the collector's own, so the true offset is 0 (or what a slew does in a second).
    #expect(rows == [["my-shell", "0", "0", "1", "1"]])
    #expect(try installation.query("SELECT sum(duplicates) FROM sample_view") == [["0"]])
    #expect(try collector.stop() == 0)
    try service.stop()
  }
}
