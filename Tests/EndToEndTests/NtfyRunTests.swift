import Foundation
import TestKit
import TestTraits
import Testing

@Suite(
  "Runs against a service in ntfy's shape that shares no code with us", .ownThread, .serialized,
  .enabled(if: Python.has("hypercorn") && Programs.has("openssl", "sqlite3")),
  .timeLimit(.minutes(10)))
struct NtfyRunTests {
  /// A directory with certificates, a running service and a configuration.
  private final class Scene {
    let installation: Installation
    let service: RunningProcess
    let port: Int

    init(_ options: [String] = [], target: [String]) throws {
      installation = try Installation()
      let folder = installation.directory.file("loopback")
      _ = try Certificates(in: installation.directory)
      let script = Programs.scripts + "/ntfy_server.py"
      let service = try RunningProcess(
        Programs.python,
        ["-u", script, "--cert", "\(folder)/server.pem", "--key", "\(folder)/server.key"] + options)
      self.service = service
      port = try eventually("the service listens", seen: { service.standardError }) {
        service.standardOutput.split(separator: "\n").first { $0.hasPrefix("listening ") }
          .flatMap { Int($0.dropFirst(10)) }
      }
      let lines =
        [
          "targets:", "  - name: news", "    provider: ntfy", "    endpoint: https://127.0.0.1:\(port)",
          "    ca_file: loopback/ca.pem", "    topic: probe", "    subscribe: true",
        ] + target.map { "    " + $0 }
      try installation.directory.write("pushscope.yaml", lines.joined(separator: "\n") + "\n")
    }

    deinit { service.signal(SIGTERM) }

    var subscriptions: [String] {
      service.standardOutput.split(separator: "\n").filter { $0.hasPrefix("subscribed ") }.map(String.init)
    }
  }

  @Test("published messages are received on the same clock, without a device")
  func heardByTheSender() throws {
    let scene = try Scene(target: ["schedule: { rate: 50/s }"])
    let collector = try scene.installation.collect(["--count", "60"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    #expect(scene.subscriptions == ["subscribed now"])
    let rows = try scene.installation.query(
      """
      SELECT count(*), sum(state = 'delivered'), sum(delivery_us > schedule_lag_us), sum(delivery_error_us = 0),
        sum(received_at < accepted_at) > 0
      FROM sample_view
      """)
    #expect(rows == [["60", "60", "60", "60", "1"]])
    let receipts = try scene.installation.query(
      "SELECT count(*), sum(same_clock) FROM receipt WHERE device = 'news'")
    #expect(receipts == [["60", "60"]])
  }

  @Test("messages published while the stream is interrupted are not lost")
  func theStreamIsAway() throws {
    let scene = try Scene(["--drop-after", "10", "--late", "2"], target: ["schedule: { rate: 5/s }"])
    let collector = try scene.installation.collect(["--count", "30"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    #expect(scene.subscriptions.count == 2)
    // The message in flight at the end of the stream is lost; those of the next two seconds arrive on the new stream.
    let rows = try scene.installation.query(
      """
      SELECT count(*), sum(state = 'delivered') >= 29, sum(delivery_us > 200000) >= 5, sum(duplicates),
        sum(delivery_certainty = 'limit' AND delivery_us > 200000) >= 5, sum(delivery_certainty = 'exact') >= 15
      FROM sample_view
      """)
    #expect(rows == [["30", "1", "1", "0", "1", "1"]])
  }

  @Test("variants alternate and are counted separately")
  func variants() throws {
    let scene = try Scene(target: [
      "schedule: { rate: 50/s }", "priority: [1, 5]", "payload_bytes: [300, 600]",
    ])
    let collector = try scene.installation.collect(["--count", "40"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    let rows = try scene.installation.query(
      """
      SELECT variant, count(*), min(payload_bytes), max(payload_bytes), sum(state = 'delivered')
      FROM sample_view GROUP BY variant ORDER BY min(sequence)
      """)
    #expect(
      rows == [
        ["priority=1,payload_bytes=300", "10", "300", "300", "10"],
        ["priority=1,payload_bytes=600", "10", "600", "600", "10"],
        ["priority=5,payload_bytes=300", "10", "300", "300", "10"],
        ["priority=5,payload_bytes=600", "10", "600", "600", "10"],
      ])
    let turns = try scene.installation.query(
      "SELECT count(DISTINCT variant) FROM sample_view GROUP BY sequence % 4")
    #expect(turns == [["1"], ["1"], ["1"], ["1"]])
  }

  @Test("a wrong token ends the run before anything is sent, and appears in no output")
  func notLetIn() throws {
    let scene = try Scene(
      ["--token", "tk_right"],
      target: ["schedule: { rate: 50/s }", "credentials: { token_file: ntfy.token }"])
    try scene.installation.directory.write("ntfy.token", "tk_a_wrong_secret\n")
    let collector = try scene.installation.collect(["--count", "5"])
    #expect(try collector.waitForExit() == 78)
    #expect(collector.standardError.contains("403"))
    #expect(!collector.standardError.contains("tk_a_wrong_secret"))
    #expect(try scene.installation.query("SELECT count(*) FROM sample_view") == [["0"]])
    #expect(try scene.installation.query("SELECT end_reason FROM run") == [["failed"]])
  }

  @Test("a schedule above what a service documents is refused, naming the limit")
  func aboveTheLimit() throws {
    let scene = try Scene(target: ["schedule: { rate: 50/s }"])
    let text = try String(contentsOfFile: scene.installation.configuration, encoding: .utf8)
      .replacingOccurrences(of: "https://127.0.0.1:\(scene.port)", with: "https://ntfy.sh")
    try scene.installation.directory.write("pushscope.yaml", text)
    let collector = try scene.installation.collect(["--count", "5"])
    #expect(try collector.waitForExit() == 78)
    #expect(collector.standardError.contains("ntfy.sh allows a visitor one request each 5 s"))
    #expect(collector.standardError.contains("--allow-above-provider-limit"))
  }
}
