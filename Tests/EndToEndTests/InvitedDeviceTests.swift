import Foundation
import TestKit
import TestTraits
import Testing

/// `pushscope invite`, `pushscope devices` and the collector's own page, with a real browser where there is one.
@Suite("Invited devices", .ownThread, .serialized)
struct InvitedDeviceTests {
  private let installation: Installation
  private let pagePort: Int

  init() throws {
    installation = try Installation()
    pagePort = try FreePort.take()
    try installation.directory.write(
      "pushscope.yaml",
      """
      devices:
        subject: mailto:ops@example.com
        listen: 127.0.0.1:\(pagePort)
        services: [ "127.0.0.1:\(installation.loopbackPort)" ]
        ca_file: loopback/ca.pem
        schedule: { rate: 2/s }
        receipt_deadline: 10s

      """)
  }

  private var common: [String] { ["--store", installation.store] }

  private func invite(_ arguments: String...) throws -> (status: Int32, output: String, error: String) {
    let result = try run(
      Programs.pushscope, ["invite"] + arguments + ["--config", installation.configuration] + common)
    return (result.status, result.output, result.error)
  }

  private func startCollector(_ arguments: [String] = []) throws -> RunningProcess {
    let collector = try installation.collect(arguments)
    try collector.waitFor(error: "no device has joined yet")
    return collector
  }

  private func devices() throws -> [[String]] {
    try installation.query("SELECT name, platform, state FROM device")
  }

  @Test(
    "without a collector nobody is invited; with one the URL is that of this host", .timeLimit(.minutes(3)))
  func invitation() throws {
    let service = try installation.startLoopback()
    let alone = try invite("reception", "--url")
    #expect(alone.status == 69 && alone.error.contains("pushscope collect"), "\(alone.status) \(alone.error)")
    let collector = try startCollector()
    let invited = try invite("reception", "--url")
    #expect(invited.status == 0, "\(invited.error)")
    #expect(invited.output.hasPrefix("http://localhost:\(pagePort)/device#"), "\(invited.output)")
    #expect(invited.output.split(separator: "\n").count == 1)
    let token = try #require(invited.output.split(separator: "#").last).trimmingCharacters(in: .newlines)
    #expect(token.count == 22)
    #expect(try installation.query("SELECT count(*) FROM control WHERE name LIKE '%\(token)%'") == [["0"]])
    #expect(try invite("../x").status == 64)
    #expect(try invite("reception", "--expires", "40d", "--url").status == 64)
    #expect(try run(Programs.pushscope, ["devices"] + common).output.hasPrefix("no devices yet"))
    let removal = try run(Programs.pushscope, ["devices", "remove", "reception"] + common)
    #expect(removal.status != 0 && removal.error.contains("there is no device named reception"))
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    #expect(!collector.standardError.contains(token))
    try service.stop()
  }

  @Test("a run with --count takes no invitations, and has nobody to send to", .timeLimit(.minutes(3)))
  func countedRun() throws {
    let service = try installation.startLoopback()
    let empty = try installation.collect(["--count", "5"])
    #expect(try empty.waitForExit() == 64, "\(empty.standardError)")
    #expect(empty.standardError.contains("no device has joined"))
    try service.stop()
  }

  @Test("a name that is listed and resolves to this host is not connected to", .timeLimit(.minutes(3)))
  func addressInside() throws {
    let journal = installation.directory.file("journal.jsonl")
    let service = try installation.startLoopback(extra: ["--script", journal])
    let name = "localhost:\(installation.loopbackPort)"
    let configuration = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write(
      "pushscope.yaml", configuration.replacing("127.0.0.1:\(installation.loopbackPort)", with: name))
    let collector = try startCollector()
    let url = try invite("reception", "--url").output.trimmingCharacters(in: .newlines)
    let subscription = try String(
      contentsOfFile: installation.directory.file("loopback/subscription.json"), encoding: .utf8
    ).replacing("127.0.0.1:\(installation.loopbackPort)", with: name)
    let body = """
      {"token":"\(url.split(separator: "#").last ?? "")","platform":"none","subscription":\(subscription)}
      """
    let joined = try run(
      "curl",
      ["-s", "-H", "content-type: application/json", "-d", body, "http://localhost:\(pagePort)/v1/devices"])
    #expect(joined.output.contains("device_key"), "\(joined.output)")
    try installation.waitFor("failed", over: 2, by: collector)
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    #expect(
      try installation.query("SELECT DISTINCT state, reason FROM sample_view") == [["failed", "connect"]])
    let reasons = try installation.query("SELECT detail FROM event WHERE kind = 'failed'")
    #expect(reasons.contains { $0[0].contains("not one of the public network") }, "\(reasons)")
    try service.stop()
    #expect(try String(contentsOfFile: journal, encoding: .utf8).isEmpty)
  }

  @Test(
    "ten thousand wrong tokens write nothing, and the right one still joins",
    .enabled(if: Programs.has("h2load")), .timeLimit(.minutes(4)))
  func wrongTokens() throws {
    let service = try installation.startLoopback()
    let configuration = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write(
      "pushscope.yaml",
      """
      collector:
        receipts: { listen: 127.0.0.1:\(installation.receiptsPort), certificate_file: loopback/server.pem,
          key_file: loopback/server.key, secret_file: receipts.secret }
      \(configuration)
      """)
    let collector = try startCollector()
    let url = try invite("reception", "--url").output.trimmingCharacters(in: .newlines)
    let token = url.split(separator: "#").last.map(String.init) ?? ""
    let subscription = try String(
      contentsOfFile: installation.directory.file("loopback/subscription.json"), encoding: .utf8)
    func body(_ token: String) -> String {
      "{\"token\":\"\(token)\",\"platform\":\"\\u001b[2Jnone\",\"subscription\":\(subscription)}"
    }
    let file = try installation.directory.write("wrong.json", body("wrong"))
    let requests = "SELECT count(*) FROM control"
    // The run has events of its own, more of them on a loaded machine.
    let events =
      "SELECT count(*) FROM event WHERE kind LIKE '%device%' OR detail LIKE '%device%' OR detail LIKE '%token%'"
    func count(_ query: String) throws -> Int { try Int(installation.query(query)[0][0]) ?? -1 }
    let before = (requests: try count(requests), events: try count(events))
    let load = try run(
      "h2load",
      [
        "-n", "10000", "-c", "4", "-m", "10", "-d", file, "-H", "content-type: application/json",
        "https://127.0.0.1:\(installation.receiptsPort)/v1/devices",
      ])
    #expect(load.output.contains("10000 4xx"), "\(load.output)")
    #expect(try count(requests) == before.requests && count(events) == before.events)
    #expect(try devices().isEmpty)
    let joined = try run(
      "curl",
      [
        "-s", "--cacert", installation.directory.file("loopback/ca.pem"), "-H",
        "content-type: application/json",
        "-d", body(token), "https://127.0.0.1:\(installation.receiptsPort)/v1/devices",
      ])
    #expect(joined.output.contains("device_key"), "\(joined.output)")
    let listed = try run(Programs.pushscope, ["devices"] + common).output
    #expect(listed.contains("reception") && !listed.contains("\u{1B}"), "\(listed)")
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    try service.stop()
  }

  @Test(
    "Chromium opens the page without a complaint", .enabled(if: Browser.isUsable), .timeLimit(.minutes(3)))
  func chromium() throws {
    let service = try installation.startLoopback()
    let collector = try startCollector()
    let url = try invite("reception", "--url").output.trimmingCharacters(in: .newlines)
    let opened = try Browser().content(of: url, width: 320)
    #expect(opened.complaints.isEmpty, "\(opened.complaints)")
    #expect(opened.text.contains("Let this browser be measured"), "\(opened.text)")
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    try service.stop()
  }

  private struct Line: Decodable {
    struct Page: Decodable {
      var name: String
      var count: Int
      var latest: String
      var problem: String
    }
    var joined: String?
    var refused: String?
    var left: Bool?
    var page: Page?
  }

  private func line(_ number: Int, of browser: RunningProcess) throws -> Line {
    try eventually("Firefox says what it is", seen: { browser.standardError }) {
      if let status = browser.status() { throw NeverHappened(what: "Firefox runs on", seen: "\(status)") }
      guard browser.lines.count >= number else { return nil }
      return try JSONDecoder().decode(Line.self, from: Data(browser.lines[number - 1].utf8))
    }
  }

  @Test(
    "Firefox joins by an invitation, is measured, and leaves; the collector's restart changes nothing",
    .enabled(if: Firefox.isPossible, Firefox.need), .timeLimit(.minutes(8)))
  func firefox() throws {
    let service = try installation.startLoopback()
    var collector = try startCollector()
    let waiting = try RunningProcess(
      Programs.pushscope,
      ["invite", "my-browser", "--local", "--config", installation.configuration] + common)
    try waiting.waitFor(output: "/device#")
    let url = try #require(waiting.lines.first { $0.contains("/device#") })
    let browser = try Firefox.start(
      ["--page", url], in: installation.directory,
      [
        "wss://127.0.0.1:\(installation.loopbackPort)/", installation.directory.file("loopback/ca.pem"),
        "--pref", "alerts.useSystemBackend=false",
      ])
    let first = try line(1, of: browser)
    #expect(first.joined == "my-browser", "\(first.refused ?? "")")
    #expect(try waiting.waitForExit() == 0, "\(waiting.standardError)")
    let told = waiting.lines.joined(separator: "\n")
    #expect(told.contains("joined: Firefox on Linux, through 127.0.0.1"), "\(told)")
    #expect(told.contains("first notification: received after"), "\(told)")
    try installation.waitFor("delivered", over: 20, by: collector)

    // Another collector goes on with the device.
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    collector = try installation.collect([])
    try installation.waitFor("delivered", over: 40, by: collector)
    browser.signal(SIGUSR1)
    let page = try #require(try line(2, of: browser).page)
    #expect(page.name == "my-browser" && page.count > 20 && page.problem.isEmpty)
    #expect(page.latest.contains("received after"), "\(page.latest)")
    #expect(try devices() == [["my-browser", "Firefox on Linux", "active"]])
    let listed = try run(Programs.pushscope, ["devices"] + common).output
    #expect(listed.contains("my-browser") && listed.contains("active"), "\(listed)")

    browser.signal(SIGUSR2)
    #expect(try line(3, of: browser).left == true)
    #expect(try devices().map { $0[2] } == ["left"])
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    // All but what was under way when it left.
    let states = try installation.states()
    #expect(states["lost", default: 0] + states["interrupted", default: 0] <= 10, "\(states)")
    let measured = try installation.query(
      "SELECT count(*) FROM sample_view WHERE state = 'delivered' AND (delivery_us <= 0 OR delivery_error_us > 1000000)"
    )
    #expect(measured == [["0"]])
    #expect(try browser.stop() == 0, "\(browser.standardError)")
    // Secrets stay in the device directory.
    let endpoints = try installation.query(
      "SELECT count(*) FROM log WHERE message LIKE '%wpush%' UNION ALL SELECT count(*) FROM event WHERE detail LIKE '%wpush%'"
    )
    #expect(endpoints == [["0"], ["0"]])
    #expect(!collector.standardError.contains("wpush"))
    try service.stop()
  }
}
