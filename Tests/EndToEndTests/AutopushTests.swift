import Foundation
import TestKit
import TestTraits
import Testing

/// The loopback service and a user agent in other people's code (Tests/Support/push_agent.py), with a collector that sends to it.
@Suite("User agents of the loopback service", .ownThread, .enabled(if: Python.has("wsproto,http_ece")))
struct AutopushTests {
  private let installation: Installation

  init() throws { installation = try Installation() }

  private struct Line: Decodable {
    var at: Double
    var hello: String?
    var subscription: PushSubscription?
    var status: Int?
    var notification: String?
    var version: String?
    var ping: Bool?
    var closed: Int?
    var reason: String?
  }

  private func agent(_ seconds: Double, _ options: [String] = [], identity: String = "agent.json") throws
    -> RunningProcess
  {
    try RunningProcess(
      Programs.python,
      [
        "-X", "utf8", Programs.scripts + "/push_agent.py", "wss://localhost:\(installation.loopbackPort)",
        installation.directory.file("loopback/ca.pem"), installation.directory.file(identity), "\(seconds)",
      ] + options)
  }

  private func lines(of agent: RunningProcess) throws -> [Line] {
    try agent.standardOutput.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
  }

  /// Lines of an agent that has ended.
  private func session(_ seconds: Double, _ options: [String] = [], identity: String = "agent.json") throws
    -> [Line]
  {
    let agent = try agent(seconds, options, identity: identity)
    #expect(try agent.waitForExit() == 0, "\(agent.standardError)")
    return try lines(of: agent)
  }

  private func subscription(of agent: RunningProcess) throws -> PushSubscription {
    try eventually("the agent is subscribed", seen: { agent.standardOutput + agent.standardError }) {
      try lines(of: agent).lazy.compactMap(\.subscription).first
    }
  }

  /// The application server's public key, as browsers are told it.
  private func key() throws -> String {
    let command = """
      openssl ec -in "$0" -pubout -outform DER 2>/dev/null | tail -c 65 | basenc --base64url -w0 | tr -d =
      """
    return try run("sh", ["-ec", command, installation.directory.file("loopback/vapid.pem")]).output
  }

  /// Sends notifications to a subscription.
  private func send(_ count: Int, to subscription: PushSubscription, ttl: String = "60s", rate: Int = 50)
    throws
    -> [String: Int]
  {
    let text = String(decoding: try JSONEncoder().encode(subscription), as: UTF8.self)
    try installation.directory.write("subscription.json", text)
    let configuration = try installation.directory.write(
      "webpush.yaml",
      """
      targets:
        - name: agent
          provider: webpush
          subscription_file: subscription.json
          ca_file: loopback/ca.pem
          ttl: \(ttl)
          schedule: { arrivals: constant, rate: \(rate)/s }
          credentials: { vapid_key_file: loopback/vapid.pem, subject: mailto:ops@example.com }
      """)
    let outcome = try run(
      Programs.pushscope,
      ["collect", "--config", configuration, "--store", installation.store, "--count", "\(count)"])
    #expect(outcome.status == 0, "\(outcome.error)")
    return try installation.states()
  }

  @Test(
    "what is sent to a user agent arrives, decrypts and is that; with any key and with one only",
    .enabled(if: Programs.has("openssl", "basenc")), .timeLimit(.minutes(3)), arguments: [true, false])
  func delivers(isRestricted: Bool) throws {
    let service = try installation.startLoopback()
    let agent = try agent(30, isRestricted ? ["--key", key()] : [])
    let subscription = try subscription(of: agent)
    let version = isRestricted ? "v2" : "v1"
    #expect(
      subscription.endpoint.hasPrefix("https://localhost:\(installation.loopbackPort)/wpush/\(version)/"))
    _ = try send(40, to: subscription)
    let received = try eventually("all have arrived", seen: { agent.standardError }) {
      let texts = try lines(of: agent).compactMap(\.notification)
      return texts.count >= 40 ? texts : nil
    }
    let sent = try installation.query("SELECT notification_id FROM sample_view WHERE accepted_at IS NOT NULL")
      .map {
        $0[0]
      }
    #expect(
      sent.count == 40 && sent.allSatisfy { id in received.contains { $0.contains(id) } }, "\(received[0])")
    let other = installation.directory.file("loopback/vapid.pem")
    if isRestricted {
      try FileManager.default.removeItem(atPath: other)
      #expect(
        try run("openssl", ["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", other]).status == 0
      )
      #expect(try send(5, to: subscription)["rejected"] ?? 0 > 0, "another application server's key")
    }
    try service.stop()
  }

  @Test(
    "what comes while it is away is kept as the time to live says, and comes again until it is acknowledged")
  func keeps() throws {
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let subscription = try #require(try session(2).lazy.compactMap(\.subscription).first)
    _ = try send(25, to: subscription)
    _ = try send(5, to: subscription, ttl: "0s")
    let unread = try session(2, ["--no-ack"])
    #expect(unread.allSatisfy { $0.subscription == nil }, "it is known")
    #expect(unread.compactMap(\.notification).count == 10, "a batch")
    let read = try session(3).compactMap(\.version)
    #expect(read.count == 25 && Set(read).count == 25)
    #expect(Set(unread.compactMap(\.version)).isSubset(of: read))
    #expect(try session(2).compactMap(\.notification).isEmpty)
    try service.stop()
  }

  @Test("scripted ends: a close with a code, an agent that is forgotten, too many kept, Pings")
  func scripted() throws {
    let service = try installation.startLoopback(
      scenario: "webpush: { ping: 200ms, close_after: 3s, close_code: 4774, forget_after: 1s, stored: 20 }\n")
    let lines = try session(20)
    #expect(lines.last?.closed == 4774 && lines.contains { $0.ping == true })
    let subscription = try #require(lines.lazy.compactMap(\.subscription).first)
    #expect(try send(3, to: subscription)["rejected"] == 3, "it was forgotten")
    let reason = try installation.query("SELECT DISTINCT reason FROM sample_view WHERE state = 'rejected'")
    #expect(reason[0][0].contains("106"), "\(reason)")
    let next = try session(0.5)
    #expect(next.contains { $0.subscription != nil }, "it gets a new uaid and subscribes anew")
    let fresh = try #require(next.lazy.compactMap(\.subscription).first)
    let before = try installation.states()["rejected"] ?? 0
    #expect(try send(30, to: fresh)["rejected"] ?? 0 > before, "more are kept than may be")
    try service.stop()
  }

  @Test(
    "what is no message of the protocol ends the connection, and another one goes on",
    arguments: [
      (["--say", "!{\"messageType\":\"register\",\"channelID\":\"c\"}"], 1011, "SM"),
      (["--say", "![]"], 1011, "Json"),
      (["--say", "{\"messageType\":\"hello\"}"], 1011, "SM"),
      (["--say", "{\"messageType\":\"register\",\"channelID\":\"NO-UUID\"}"], 1011, "SM"),
      (["--say", "{}", "--say", "{}"], 1011, "SM"),
      (["--say", "{\"messageType\":\"x"], 1011, "Json"),
    ] as [([String], Int, String)])
  func refusals(options: [String], code: Int, reason: String) throws {
    let service = try installation.startLoopback()
    let last = try session(10, options).last
    #expect(last?.closed == code && last?.reason == reason)
    #expect(try session(1, identity: "other.json").contains { $0.subscription != nil })
    try service.stop()
  }

  @Test("in a freeze an agent hears nothing, no Ping either, and all of it in order afterwards")
  func freezes() throws {
    let service = try installation.startLoopback(
      scenario: "webpush: { ping: 200ms }\nfreeze: { from: 4s, for: 3s }\n")
    let agent = try agent(20)
    let subscription = try subscription(of: agent)
    _ = try send(80, to: subscription, rate: 10)
    let heard = try eventually("all have arrived", seen: { agent.standardError }) {
      let all = try lines(of: agent)
      return all.count { $0.notification != nil } >= 80 ? all : nil
    }
    let gaps = zip(heard, heard.dropFirst()).map { $1.at - $0.at }
    #expect(gaps.contains { $0 > 2.7 }, "\(gaps)")
    #expect(heard.contains { $0.ping == true })
    #expect(Set(heard.compactMap(\.version)).count == 80)
    try service.stop()
  }

  /// The freeze outlasts the time that a hello may take.
  @Test("what an agent says in a freeze is heard at its end, in order; too much of it ends the connection")
  func isHeardLater() throws {
    let service = try installation.startLoopback(scenario: "freeze: { from: 1s, for: 6s }\n")
    let channel = UUID().uuidString.lowercased()
    let said =
      ["!{\"messageType\":\"hello\",\"uaid\":\"\",\"use_webpush\":true}"]
      + (0..<20).map { _ in "!{\"messageType\":\"register\",\"channelID\":\"\(channel)\"}" }
    let agent = try agent(15, ["--wait", "2"] + said.flatMap { ["--say", $0] })
    let flood = (0..<6).map { _ in "!" + String(repeating: " ", count: 60_000) }
    let other = try session(10, ["--wait", "2"] + flood.flatMap { ["--say", $0] }, identity: "other.json")
    #expect(other.last?.closed == 1008, "\(other)")
    let heard = try eventually("all is answered", seen: { agent.standardError }) {
      let all = try lines(of: agent)
      // One more than said: the agent registers when it knows who it is.
      return all.count { $0.status == 200 && $0.subscription != nil } >= 21 ? all : nil
    }
    #expect(heard.first?.hello != nil && heard.allSatisfy { $0.closed == nil })
    try service.stop()
  }

  @Test("a second connection of an agent ends the first") func second() throws {
    let service = try installation.startLoopback()
    let first = try agent(30)
    _ = try subscription(of: first)
    _ = try session(1)
    #expect(try first.waitForExit() == 0)
    let last = try lines(of: first).last
    #expect(last?.closed == 1011 && last?.reason == "SM")
    try service.stop()
  }
}
