import Foundation
import HTTPTestKit
import LoopbackService
import Providers
import TestKit
import Testing

@testable import Configuration

/// ntfy through curl and python-h2.
@Suite struct NtfyTests {
  private struct Event: Decodable {
    var id: String
    var event: String
    var topic: String
    var message: String?
    var encoding: String?
    var priority: Int?
    var tags: [String]?
    var expires: Int64?
  }

  private static func read(_ text: String) throws -> [Event] {
    try text.split(separator: "\n").map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
  }

  private static func secret(_ fixture: LoopbackFixture, _ file: String) throws -> String {
    try String(contentsOfFile: fixture.directory.file(file), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func bearer(_ fixture: LoopbackFixture) throws -> String {
    "authorization: Bearer \(try secret(fixture, "ntfy.token"))"
  }

  @Test(arguments: Curl.Version.allCases)
  func publishesAndKeeps(version: Curl.Version) async throws {
    try await withLoopback(Scenario()) { fixture in
      let curl = fixture.curl
      let bearer = try Self.bearer(fixture)
      let first = try await curl.ask(
        "/news", version, headers: [bearer, "prio: high", "tags: a, b"], body: "one \"1\"")
      #expect(first.status == 200)
      let message = try #require(try Self.read(first.body).first)
      #expect(message.message == "one \"1\"")
      #expect(message.priority == 4)
      #expect(message.tags == ["a", "b"])
      #expect(message.id.count == 12)
      _ = try await curl.ask("/", version, headers: [bearer], body: #"{"topic":"news","message":"two"}"#)
      _ = try await curl.ask("/other", version, headers: [bearer], body: "elsewhere")
      let unkept = try await curl.ask("/news", version, headers: [bearer, "cache: no"], body: "gone")
      #expect(try Self.read(unkept.body).first?.expires == nil)
      func poll(_ query: String) async throws -> [String] {
        let answer = try await curl.ask("/news/json?poll=1\(query)", version, headers: [bearer])
        return try Self.read(answer.body).compactMap(\.message)
      }
      #expect(try await poll("") == ["one \"1\"", "two"])
      #expect(try await poll("&since=\(message.id)") == ["two"])
      #expect(try await poll("&since=latest") == ["two"])
      #expect(try await poll("&since=10m") == ["one \"1\"", "two"])
      #expect(try await poll("&since=none").isEmpty)
      let binary = try await curl.ask("/news?up=1", version, headers: [bearer], body: "\u{1}x")
      #expect(try Self.read(binary.body).first?.encoding == "base64")
    }
  }

  /// A message is shorter than what the server reads of a body; what UnifiedPush carries may fill it.
  @Test func takesTheLongestMessage() async throws {
    try await withLoopback(Scenario()) { fixture in
      let bearer = try Self.bearer(fixture)
      func status(_ path: String, _ bytes: Int) async throws -> Int {
        let body = String(repeating: "x", count: bytes)
        return try await fixture.curl.ask(path, headers: [bearer], body: body).status
      }
      #expect(try await status("/news", 4095) == 200)
      #expect(try await status("/news", 4096) == 400)
      #expect(try await status("/news?up=1", 4096) == 200)
      #expect(try await status("/news?up=1", 4097) == 400)
      _ = try NtfyProvider(origin: "https://a", topic: "news", payloadBytes: 4095)
      #expect(throws: ProviderError.self) {
        try NtfyProvider(origin: "https://a", topic: "news", payloadBytes: 4096)
      }
    }
  }

  /// A client's steps: listen to topics until the stream ends.
  private static func listen(_ fixture: LoopbackFixture, to topics: String) throws -> String {
    #"[{"request": {"path": "/\#(topics)/json", "method": "GET", "headers": [["authorization", "Bearer "#
      + (try secret(fixture, "ntfy.token")) + #""]]}}, {"until": {"done": 1}}]"#
  }

  @Test func streamsWhatComesToThoseWhoListen() async throws {
    let scenario = Scenario(
      deliveries: DeliveryBehavior(delay: .constant(.milliseconds(20)), duplicated: 1),
      subscriptions: SubscriptionBehavior(keepalive: .milliseconds(10)))
    let fixture = try await LoopbackFixture(scenario)
    let steps = try Self.listen(fixture, to: "a,b")
    async let seen = fixture.h2.run(steps)
    try await eventually { await fixture.server.statistics().subscribers == 1 }
    for (topic, text) in [("a", "first"), ("c", "not mine"), ("b", "second")] {
      _ = try await fixture.curl.ask("/\(topic)", headers: [try Self.bearer(fixture)], body: text)
    }
    await fixture.server.settle(within: .seconds(20))
    // A service that goes ends its streams in order.
    await fixture.server.shutdown()
    let lines = try Self.read(try await seen.answers.first?.body ?? "")
    #expect(lines.first?.event == "open")
    #expect(lines.first?.topic == "a,b")
    #expect(lines.compactMap(\.message) == ["first", "first", "second", "second"], "each comes twice")
    #expect(lines.contains { $0.event == "keepalive" })
  }

  @Test func cutsSubscriptionsWhenTheScenarioSaysSo() async throws {
    let scenario = Scenario(subscriptions: SubscriptionBehavior(cutAfter: .milliseconds(200)))
    try await withLoopback(scenario) { fixture in
      let events = try await fixture.h2.run(try Self.listen(fixture, to: "a"))
      #expect(events.resets.map(\.code) == [8])
      let lines = try Self.read(events.filter { $0.event == "data" }.compactMap(\.body).joined())
      #expect(lines.map(\.event) == ["open"])
      try await eventually { await fixture.server.statistics().subscribers == 0 }
    }
  }

  @Test func wantsToKnowWhoAsks() async throws {
    try await withLoopback(Scenario()) { fixture in
      let password = try Self.secret(fixture, "ntfy.password")
      let token = try Self.secret(fixture, "ntfy.token")
      func ask(
        _ headers: [String] = [], path: String = "/t", user: String? = nil
      ) async throws -> String {
        let answer = try await fixture.curl.ask(
          path, headers: headers, body: "x", arguments: user.map { ["-u", $0] } ?? [])
        return "\(answer.status) \(answer.body.prefix(13))"
      }
      #expect(try await ask() == "403 {\"code\":40301")
      #expect(try await ask(["authorization: Bearer tk_wrong"]) == "401 {\"code\":40101")
      #expect(try await ask(user: "loopback:wrong") == "401 {\"code\":40101")
      #expect(try await ask(user: "loopback:\(password)").hasPrefix("200"))
      #expect(try await ask(user: ":\(token)").hasPrefix("200"))
      let query = Data("Bearer \(token)".utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
      #expect(try await ask(path: "/t?auth=\(query)").hasPrefix("200"))
      #expect(try await fixture.curl.ask("/t/json?poll=1").status == 403)
    }
  }

  @Test(
    arguments: [
      ("/t", "prio: 9", "x", 40007), ("/no.topic", nil, "x", 40009), ("/docs", nil, "x", 40010),
      ("/t", "delay: 10m", "x", 40004), ("/t", "attach: https://example.com/x", "x", 40014),
      ("/", nil, "{", 40017), ("/", nil, "{\"message\":\"x\"}", 40009),
      ("/t", nil, String(repeating: "x", count: 4096), 40014), ("/t/x/y", nil, "x", 40401),
      ("/t", nil, String(repeating: "x", count: 100_000), 41301),
    ] as [(String, String?, String, Int)])
  func namesMistakesByNtfysNumbers(path: String, header: String?, body: String, code: Int) async throws {
    try await withLoopback(Scenario()) { fixture in
      let headers = [try Self.bearer(fixture)] + (header.map { [$0] } ?? [])
      let answer = try await fixture.curl.ask(path, headers: headers, body: body)
      #expect(answer.status == code / 100)
      #expect(answer.body.hasPrefix("{\"code\":\(code),\"http\":\(code / 100),\"error\":\""))
    }
  }

  @Test func limitsRequests() async throws {
    let subscriptions = SubscriptionBehavior(requests: .init(burst: 3, every: .seconds(600)))
    try await withLoopback(Scenario(subscriptions: subscriptions)) { fixture in
      var statuses: [Int] = []
      for _ in 0..<4 {
        let answer = try await fixture.curl.ask("/t", headers: [try Self.bearer(fixture)], body: "x")
        statuses.append(answer.status)
      }
      #expect(statuses == [200, 200, 200, 429])
    }
  }
}
