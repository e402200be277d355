import Foundation
import HTTPTestKit
import Measurement
import Store
import TestKit
import TestTraits
import Testing

@testable import Monitoring

/// The JSON of alerts beside what Debian's Alertmanager sends to a webhook for alerts with the same labels.
@Suite(.ownThread) struct AlertMessageTests {
  private static let labels = [
    "alertname": "PushscopeObjectiveBreached", "objective": "ios \"fast\"", "target": "ios",
  ]

  private func record(_ id: String = "a", ended: Bool = false) -> AlertRecord {
    var record = Alert(
      kind: .objective, id: id, labels: Self.labels, annotations: ["summary": "s"],
      startedAt: WallTime(microseconds: 1_700_000_000_000_000)
    ).record
    if ended { record.endedAt = WallTime(microseconds: 1_700_000_060_000_000) }
    return record
  }

  private func json(_ records: [AlertRecord]) throws -> [String: Any] {
    let message = AlertMessage(records, receiver: "webhook", externalURL: "http://127.0.0.1:9477")
    return try #require(try JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
  }

  @Test func messageFiresWhileAnyAlertDoes() throws {
    #expect(try json([record(), record("b", ended: true)])["status"] as? String == "firing")
    let resolved = try json([record(ended: true)])
    #expect(resolved["status"] as? String == "resolved")
    let alert = try #require((resolved["alerts"] as? [[String: Any]])?.first)
    #expect(alert["endsAt"] as? String == "2023-11-14T22:14:20.000000Z")
    #expect(alert["startsAt"] as? String == "2023-11-14T22:13:20.000000Z")
  }

  @Test func longListIsTruncated() throws {
    let message = try json((0..<130).map { record("\($0)") })
    #expect((message["alerts"] as? [Any])?.count == 100)
    #expect(message["truncatedAlerts"] as? Int == 30)
  }

  /// Receives one POST on a free port and prints its body.
  private static let receiver = """
    import http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()
            sys.stdout.write(body.decode() + "\\n")
            sys.stdout.flush()
        def log_message(self, *arguments): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    port = server.server_port
    open(sys.argv[1], "w").write(str(port))
    server.handle_request()
    """

  @Test(.timeLimit(.minutes(10))) func shapeIsThatOfAlertmanager() async throws {
    let alertmanager = try #require(
      Programs.find("prometheus-alertmanager"), "scripts/bootstrap test unpacks it")
    let directory = try TemporaryDirectory()
    let portFile = directory.file("port")
    // A function that waits for it would hold one of the threads that all tests share.
    let receiver = try RunningProcess(Programs.python, ["-c", Self.receiver, portFile])
    let hook = try await eventually("the receiver listens") { () -> Int? in
      Int((try? String(contentsOfFile: portFile, encoding: .utf8)) ?? "")
    }
    let configuration = try directory.write(
      "alertmanager.yml",
      """
      route: { receiver: hook, group_wait: 0s, group_interval: 1s }
      receivers: [{ name: hook, webhook_configs: [{ url: 'http://127.0.0.1:\(hook)/' }] }]

      """)
    let port = try FreePort.take()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: alertmanager)
    process.arguments = [
      "--config.file=\(configuration)", "--storage.path=\(directory.file("data"))",
      "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=", "--log.level=error",
    ]
    try process.run()
    defer { process.terminate() }
    let posted = try String(
      decoding: JSONSerialization.data(withJSONObject: [
        ["labels": Self.labels, "annotations": ["summary": "s"], "startsAt": "2023-11-14T22:13:20Z"]
      ]), as: UTF8.self)
    try await eventually("Alertmanager takes the alert", within: .seconds(60)) { () -> Bool in
      let answer = try await Programs.run(
        "curl",
        [
          "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", "content-type: application/json",
          "--data-binary",
          "@-", "http://127.0.0.1:\(port)/api/v2/alerts",
        ], input: posted)
      return answer.output == "200"
    }
    #expect(try receiver.waitForExit() == 0)
    let output = receiver.standardOutput
    let theirs = try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)")
    let ours = try json([record()])
    #expect(Set(ours.keys) == Set(theirs.keys))
    for key in ["version", "status", "truncatedAlerts"] {
      #expect("\(ours[key] ?? "")" == "\(theirs[key] ?? "")", "\(key)")
    }
    let ourAlert = try #require((ours["alerts"] as? [[String: Any]])?.first)
    let theirAlert = try #require((theirs["alerts"] as? [[String: Any]])?.first)
    #expect(Set(ourAlert.keys) == Set(theirAlert.keys))
    for key in ["status", "fingerprint", "endsAt"] {
      // Alertmanager gives an alert that lasts no end either.
      #expect(ourAlert[key] as? String == theirAlert[key] as? String, "\(key)")
    }
    #expect(ourAlert["labels"] as? [String: String] == theirAlert["labels"] as? [String: String])
  }
}
