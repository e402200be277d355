import Configuration
import Cryptography
import Foundation
import HTTPTestKit
import TestKit
import Testing

@testable import LoopbackService

/// Files that are about one dialect, or about how each says the same.
extension ScenarioRun {
  private struct Line: Decodable {
    var status: Int?
    var headers: [String: String]?
    var body: String?
    var name: String?
  }

  /// Tests/Support/dialect_client.py: google-auth, firebase-admin, http-ece and py-vapid.
  private static func client(
    _ fixture: LoopbackFixture, _ dialect: String, _ count: Int, _ more: [String] = []
  ) async throws -> [Line] {
    let outcome = try await Programs.run(
      Programs.python,
      ["\(Programs.scripts)/dialect_client.py", dialect, fixture.directory.path, "\(count)"] + more)
    #expect(outcome.status == 0, "\(outcome.error)")
    return try outcome.jsonLines(as: Line.self)
  }

  private static func ntfyToken(_ fixture: LoopbackFixture) throws -> String {
    try String(contentsOfFile: fixture.directory.file("ntfy.token"), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The first error of each dialect's section, made certain.
  @Sendable static func eachDialectHasItsOwnTroubles(_ scenario: Scenario) async throws {
    var scenario = scenario
    for dialect in ScenarioDialect.allCases {
      var error = try #require(scenario.dialects[dialect]?.answers.errors.first)
      error.probability = 1
      scenario.dialects[dialect]?.answers.errors = [error]
    }
    try await withLoopback(scenario) { fixture in
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"done\": 1}}]")
      #expect(events.answers.map(\.status) == [410])
      #expect(events.answers.first?.body?.hasPrefix("{\"reason\":\"Unregistered\"") == true)

      let lines = try await client(fixture, "fcm", 1)
      #expect(lines[1].status == 429)
      #expect(lines[1].headers?["retry-after"] == "2")
      #expect(lines[1].body?.contains("\"QUOTA_EXCEEDED\"") == true)

      let browser = try await client(fixture, "webpush", 1, [fixture.directory.file("subscription.json")])
      #expect(browser.map(\.status) == [410])
      #expect(browser[0].body?.contains("\"errno\":103") == true)

      let ntfy = try await fixture.curl.ask(
        "/t", headers: ["authorization: Bearer \(try ntfyToken(fixture))"], body: "x")
      #expect(ntfy.status == 429)
      #expect(ntfy.body.hasPrefix("{\"code\":42901"))
      #expect(ntfy.headers["retry-after"] == nil)
    }
  }

  /// The file's life of a subscription ten times as fast; its publishers' bucket with nothing coming after.
  @Sendable static func subscriptionsEnd(_ scenario: Scenario) async throws {
    var scenario = scenario
    scenario.subscriptions.keepalive = scenario.subscriptions.keepalive / 10
    scenario.subscriptions.muteAfter = scenario.subscriptions.muteAfter.map { $0 / 10 }
    scenario.subscriptions.cutAfter = scenario.subscriptions.cutAfter.map { $0 / 10 }
    scenario.subscriptions.requests?.every = .seconds(600)
    try await withLoopback(scenario) { fixture in
      let authorization = "[\"authorization\", \"Bearer \(try ntfyToken(fixture))\"]"
      let events = try await fixture.h2.run(
        """
        [{"request": {"path": "/t/json", "method": "GET", "headers": [\(authorization)]}}, {"until": {"done": 1}}]
        """)
      #expect(events.resets.map(\.code) == [8])
      let lines = events.filter { $0.event == "data" }.compactMap(\.body).joined().split(separator: "\n")
      #expect(lines.first?.contains("\"event\":\"open\"") == true)
      let keepalives = lines.dropFirst()
      #expect(keepalives.allSatisfy { $0.contains("\"event\":\"keepalive\"") })
      // From 0.2 s on, each 0.2 s; none after 2 s, though the stream stands for another one.
      #expect((1...10).contains(keepalives.count), "\(keepalives.count)")
    }
    try await withLoopback(scenario) { fixture in
      let authorization = "[\"authorization\", \"Bearer \(try ntfyToken(fixture))\"]"
      let events = try await fixture.h2.run(
        """
        [{"request": {"path": "/t", "headers": [\(authorization)], "body": "x"}}, {"until": {"max_streams": 1000}},
         {"request": {"path": "/t", "headers": [\(authorization)], "body": "x", "count": 69}}, {"until": {"done": 70}}]
        """)
      #expect(events.answers.count { $0.status == 200 } == 60)
      #expect(events.answers.count { $0.status == 429 } == 10)
    }
  }

  @Sendable static func tokensAreRevoked(_ scenario: Scenario) async throws {
    try apnsTokensAreRevoked(scenario.tokens)
    try vapidTokensAreRevoked(scenario.tokens)
    try await accessTokensAreRevoked(scenario)

    // One in a hundred, in each dialect's words; a new token mends nothing.
    let error = try #require(scenario.answers.errors.first)
    let words = ErrorCatalog.all.map { catalog in
      let reason = catalog.translate(error)
      return "\(reason.text) \(reason.status)"
    }
    #expect(words == ["InvalidProviderToken 403", "UNAUTHENTICATED 401", "MissingVapid 401", "40101 401"])
    try await all(scenario)
  }

  /// On stepped clocks.
  private static func apnsTokensAreRevoked(_ tokens: TokenBehavior) throws {
    let key = P256.PrivateKey()
    let authenticator = APNsAuthenticator(
      key: key.publicKey, keyID: LoopbackCredentials.signingKeyID, teamID: LoopbackCredentials.teamID,
      behavior: tokens)
    func word(_ token: String, connection: Int, at seconds: Double) -> String? {
      authenticator.authorize(
        "bearer \(token)", hasCertificate: false, .test(connection: connection, seconds: seconds))
    }
    func token(at seconds: Double) throws -> String {
      try TestToken.apns(key, issuedAt: RequestContext.start + seconds)
    }
    let first = try token(at: 0)
    #expect(word(first, connection: 1, at: 9.9) == nil)
    #expect(word(first, connection: 1, at: 10) == "ExpiredProviderToken")
    let second = try token(at: 11)
    #expect(word(second, connection: 1, at: 11) == "TooManyProviderTokenUpdates", "within 20 minutes")
    #expect(word(second, connection: 2, at: 11) == nil)
    #expect(word(second, connection: 2, at: 39.9) == nil)
    #expect(word(second, connection: 2, at: 40) == "ExpiredProviderToken")
    let third = try token(at: 41)
    #expect(word(third, connection: 3, at: 41) == nil)
    #expect(word(third, connection: 3, at: 160) == nil)
    #expect(word(third, connection: 3, at: 162) == "ExpiredProviderToken", "two minutes old")
  }

  private static func vapidTokensAreRevoked(_ tokens: TokenBehavior) throws {
    let key = P256.PrivateKey()
    let authenticator = VAPIDAuthenticator(
      applicationKey: key.publicKey, behavior: tokens, origins: ServiceOrigins(["https://127.0.0.1:1"]))
    let point = Base64URLText.encode(Data(key.publicKey.x963Representation))
    func token() throws -> String {
      try TestToken.es256(
        key, header: "{\"typ\":\"JWT\",\"alg\":\"ES256\"}",
        claims: "{\"aud\":\"https://127.0.0.1:1\",\"exp\":\(Int(RequestContext.start) + 3600)}")
    }
    func word(_ token: String, at seconds: Double) -> String? {
      authenticator.problem("vapid t=\(token), k=\(point)", style: .mozilla, .test(seconds: seconds))?.reason
    }
    let (first, second, third) = (try token(), try token(), try token())
    #expect(word(first, at: 9.9) == nil)
    #expect(word(first, at: 10) == "ExpiredJwtToken")
    #expect(word(second, at: 11) == nil)
    #expect(word(second, at: 40) == "ExpiredJwtToken")
    #expect(word(third, at: 41) == nil)
  }

  /// By google-auth and firebase-admin, ten thousand times as fast: a millisecond after the first token there is no more
  /// of it.
  private static func accessTokensAreRevoked(_ scenario: Scenario) async throws {
    var quick = scenario
    quick.tokens.revoked = quick.tokens.revoked.map { $0 / 10_000 }
    quick.tokens.unavailable = 0
    quick.answers.errors = []
    try await withLoopback(quick) { fixture in
      let lines = try await client(fixture, "fcm", 2)
      #expect(lines[1...2].map(\.status) == [401, 401])
      #expect(lines[3].name != nil, "firebase-admin has fetched one of its own")
    }
    // One exchange in ten is answered 503, whatever it asks for.
    try await withLoopback(scenario) { fixture in
      let events = try await fixture.h2.run(
        """
        [{"request": {"path": "/oauth2/token", "body": "grant_type=x"}}, {"until": {"max_streams": 1000}},
         {"request": {"path": "/oauth2/token", "body": "grant_type=x", "count": 299}}, {"until": {"done": 300}}]
        """)
      let away = events.answers.count { $0.status == 503 }
      #expect(OutcomeDraws.isLikely(away, share: 0.1, of: 300), "\(away)")
      #expect(events.answers.count { $0.status == 400 } == 300 - away)
    }
  }
}
