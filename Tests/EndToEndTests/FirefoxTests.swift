import Foundation
import TestKit
import TestTraits
import Testing

/// A real browser as the device: Firefox subscribes at the loopback service by the example's page, and its service worker reports to a
/// real collector (Tests/Support/firefox.py).
@Suite(
  "Firefox as a device", .ownThread, .serialized, .enabled(if: Firefox.isPossible, Firefox.need))
struct FirefoxTests {
  /// What a browser with one page may take. It has nine to twelve processes.
  private static let memoryMB = 1500

  private let installation: Installation

  init() throws { installation = try Installation() }

  private struct Line: Decodable {
    var subscription: PushSubscription?
    var refused: String?
    var permission: String?
    var is_subscribed: Bool?
    var memory_mb: Int?
  }

  /// Firefox, and what its page shows.
  private final class Browser {
    private let process: RunningProcess
    let subscription: PushSubscription

    init(_ installation: Installation, prefs: [String]) throws {
      let directory = installation.directory
      let command = """
        openssl ec -in "$0" -pubout -outform DER 2>/dev/null | tail -c 65 | basenc --base64url -w0 | tr -d =
        """
      let key = try run("sh", ["-ec", command, directory.file("loopback/vapid.pem")]).output
      process = try Firefox.start(
        in: directory,
        [
          "wss://localhost:\(installation.loopbackPort)/", key,
          "https://localhost:\(installation.receiptsPort)", "my-browser", directory.file("loopback/ca.pem"),
          "--leave",
        ] + prefs.flatMap { ["--pref", $0] })
      let first = try Self.line(1, of: process)
      subscription = try #require(first.subscription, "\(first.refused ?? "")")
    }

    /// What it is by now; asked once.
    func state() throws -> Line {
      process.signal(SIGUSR1)
      return try Self.line(2, of: process)
    }

    func quit() throws { #expect(try process.stop() == 0, "\(process.standardError)") }

    private static func line(_ number: Int, of process: RunningProcess) throws -> Line {
      try eventually("Firefox says what it is", seen: { process.standardError }) {
        if let status = process.status() { throw NeverHappened(what: "Firefox runs on", seen: "\(status)") }
        guard process.lines.count >= number else { return nil }
        return try JSONDecoder().decode(Line.self, from: Data(process.lines[number - 1].utf8))
      }
    }
  }

  /// Sends notifications to the browser and waits for their receipts.
  private func collect(_ count: Int, rate: Int, from browser: Browser) throws {
    let text = String(decoding: try JSONEncoder().encode(browser.subscription), as: UTF8.self)
    try installation.directory.write("subscription.json", text)
    let configuration = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    let receipts = try #require(configuration.range(of: "targets:"))
    try installation.directory.write(
      "pushscope.yaml",
      configuration[..<receipts.lowerBound] + """
        targets:
          - name: firefox
            provider: webpush
            subscription_file: subscription.json
            device: my-browser
            ca_file: loopback/ca.pem
            ttl: 60s
            receipt_deadline: 10s
            schedule: { arrivals: constant, rate: \(rate)/s }
            credentials: { vapid_key_file: loopback/vapid.pem, subject: mailto:ops@example.com }

        """)
    let collector = try installation.collect(["--count", "\(count)"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
  }

  @Test("it subscribes by the page, and what is sent is delivered", .timeLimit(.minutes(5)))
  func isADevice() throws {
    let service = try installation.startLoopback()
    // Without a desktop there is nobody else to draw them.
    let browser = try Browser(installation, prefs: ["alerts.useSystemBackend=false"])
    #expect(browser.subscription.endpoint.contains("/wpush/v2/"), "it is restricted to the page's key")
    // At 4/s Firefox falls behind on a busy host: each notification takes it about 0.1 s.
    try collect(60, rate: 2, from: browser)
    let summary = try run(Programs.pushscope, ["summary", "--store", installation.store])
    let others = try installation.query(
      "SELECT 'others:' || coalesce(group_concat(sequence || ' ' || state || ' ' || status || ' ' || reason), '') FROM sample_view WHERE state <> 'delivered'"
    )
    #expect(try installation.states() == ["delivered": 60], "\(others) \(summary.output)")
    #expect(summary.output.contains("60 delivered"), "\(summary.output)")
    let measured = try installation.query(
      "SELECT count(*) FROM sample_view WHERE delivery_us > 0 AND delivery_error_us < 1000000")
    #expect(measured == [["60"]], "clocks were exchanged")
    let state = try browser.state()
    #expect(state.permission == "granted" && state.is_subscribed == true)
    #expect(state.memory_mb ?? .max < Self.memoryMB)
    try browser.quit()
    try service.stop()
  }

  /// Without a desktop that shows notifications Firefox counts pushes whose notification nobody could see, while no page of the site is open.
  /// Some seconds after the 16th it unsubscribes, and says so to the push service.
  @Test(
    "where notifications cannot be shown it ends its subscription, and the collector is told",
    .timeLimit(.minutes(5)))
  func isUnseen() throws {
    let service = try installation.startLoopback()
    let browser = try Browser(installation, prefs: ["alerts.useSystemBackend=true"])
    try collect(60, rate: 4, from: browser)
    let states = try installation.states()
    #expect((16..<60).contains(states["delivered"] ?? 0), "\(states)")
    #expect(states["rejected"] ?? 0 > 0 && states.values.reduce(0, +) == 60, "\(states)")
    let reasons = try installation.query("SELECT DISTINCT reason FROM sample_view WHERE state = 'rejected'")
    #expect(reasons == [["errno 106 Gone"]])
    let state = try browser.state()
    #expect(state.is_subscribed == false)
    #expect(state.memory_mb ?? .max < Self.memoryMB)
    try browser.quit()
    try service.stop()
  }
}
