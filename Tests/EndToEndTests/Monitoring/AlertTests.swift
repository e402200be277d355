import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

@Suite("a breach is told to a webhook and a command", .ownThread, .serialized)
struct AlertTests {
  /// Prints each POST as a line. The first is answered with a redirect, which must not be followed, the second with 500.
  private static let receiver = """
    import http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        count = 0
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            Handler.count += 1
            status = {1: 302, 2: 500}.get(Handler.count, 200)
            print(status, self.path, body.decode(), flush=True)
            self.send_response(status)
            if status == 302: self.send_header("location", "/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()
        def log_message(self, *arguments): pass
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """

  @Test("with retries, without redirects, and without a secret in the log", .timeLimit(.minutes(10)))
  func breach() throws {
    let hook = try FreePort.take()
    let monitored = try MonitoredInstallation(
      rate: "50/s", target: ["receipt_deadline: 500ms"],
      sections: [
        "labels: { region: eu-1 }",
        "objectives:",
        "  - { name: fast, target: loopback, within: 200ms, share: 99% }",
        "  - { name: alive, target: loopback, silence: 2s }",
        "alerts:",
        "  webhook: { url_file: hook.url }",
        "  command: [ /usr/bin/tee, -a, TOLD ]",
      ])
    let installation = monitored.installation
    try installation.directory.write("hook.url", "http://127.0.0.1:\(hook)/T0PS3CRET-T0PS3CRET\n")
    let told = installation.directory.file("told")
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write("pushscope.yaml", text.replacing("TOLD", with: told))
    let receiver = try RunningProcess(Programs.python, ["-c", Self.receiver, "\(hook)"])
    try FreePort.waitUntilTaken(hook, by: receiver)
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 10ms, lost: 100% }\n")
    let collector = try installation.collect([])
    try eventually(
      "it was delivered at the third try", within: .seconds(120), seen: { collector.standardError }
    ) {
      receiver.standardOutput.split(separator: "\n").contains { $0.hasPrefix("200 /T0PS3CRET") } ? true : nil
    }
    #expect(!receiver.standardOutput.contains("/elsewhere"))
    let lines = receiver.standardOutput.split(separator: "\n")
    let body = try #require(lines.last { $0.hasPrefix("200 ") }?.split(separator: " ", maxSplits: 2).last)
    let message = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    #expect(message["version"] as? String == "4")
    #expect(message["status"] as? String == "firing")
    let alerts = try #require(message["alerts"] as? [[String: Any]])
    let names = alerts.compactMap { ($0["labels"] as? [String: String])?["alertname"] }
    #expect(
      Set(names).isSubset(of: ["PushscopeObjectiveBreached", "PushscopeTargetSilent", "PushscopeFinding"]))
    #expect(alerts.allSatisfy { ($0["labels"] as? [String: String])?["region"] == "eu-1" })

    try eventually("both objectives are told to the command", within: .seconds(60)) {
      let lines = (try? String(contentsOfFile: told, encoding: .utf8)) ?? ""
      return lines.contains("PushscopeObjectiveBreached") && lines.contains("PushscopeTargetSilent")
        ? true : nil
    }
    let log = collector.standardError
    #expect(log.contains("objective fast is breached"))
    #expect(log.contains("objective alive is breached"))
    #expect(log.contains("could not be delivered by webhook: HTTP status 302: redirects are not followed"))
    #expect(!log.contains("T0PS3CRET"))
    #expect(
      try installation.query("SELECT count(*) FROM event_view WHERE kind = 'threshold_crossed'") == [["2"]])
    let summary = try run(Programs.pushscope, ["summary", "--store", installation.store])
    #expect(
      summary.output.contains("99 % delivery within 200 ms over 30 d"), "\(summary.output)\(summary.error)")
    #expect(summary.output.contains("breached since"))
    if Programs.has("tmux") {
      let tmux = try Tmux(columns: 140, rows: 40)
      try tmux.type("\(Programs.pushscope) dashboard --store \(installation.store)")
      try tmux.press("Enter")
      try tmux.waitUntil("the header names a breached objective") {
        $0.contains("breached: fast") || $0.contains("breached: alive")
      }
      try tmux.press("q")
      try tmux.expectShell()
    }

    // A restart does not tell it again.
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    let before = (try? String(contentsOfFile: told, encoding: .utf8)) ?? ""
    let again = try installation.collect([])
    try monitored.waitUntilReady(again)
    try eventually("objectives were judged again", seen: { again.standardError }) {
      try installation.query(
        "SELECT count(*) FROM objective WHERE verdict = 'breached' AND ended_at IS NULL")[0][
          0] == "2" ? true : nil
    }
    #expect(!again.standardError.contains("is breached"))
    #expect((try? String(contentsOfFile: told, encoding: .utf8)) == before)
    again.signal(SIGTERM)
    #expect(try again.waitForExit() == 0)
    service.signal(SIGTERM)
    receiver.signal(SIGTERM)
  }
}
