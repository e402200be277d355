import Foundation
import HTTPTestKit
import LoopbackService
import TestKit
import TestTraits
import Testing

@testable import Configuration

/// FCM through google-auth and firebase-admin, and what they would never send through curl.
@Suite(.ownThread) struct FCMTests {
  private struct Line: Decodable {
    var status: Int?
    var body: String?
    var name: String?
    var error: String?
    var code: String?
    var lifetime: Int?
  }

  private static func client(_ fixture: LoopbackFixture, count: Int) async throws -> [Line] {
    let outcome = try await Programs.run(
      Programs.python, ["\(Programs.scripts)/dialect_client.py", "fcm", fixture.directory.path, "\(count)"])
    #expect(outcome.status == 0, "\(outcome.error)")
    return try outcome.jsonLines(as: Line.self)
  }

  @Test func servesGooglesOwnLibraries() async throws {
    let listener = TestReceiptListener()
    let scenario = Scenario(deliveries: DeliveryBehavior(delay: .constant(.milliseconds(5))))
    try await withReceiptListener(listener) { destination in
      try await withLoopback(scenario, receipts: destination) { fixture in
        let lines = try await Self.client(fixture, count: 5)
        try #require(lines.count == 11)
        #expect(lines[0].lifetime.map { (3590...3600).contains($0) } == true)
        #expect(lines[1...5].allSatisfy { $0.status == 200 })
        #expect(lines[6].name?.hasPrefix("projects/pushscope-loopback/messages/0:") == true)
        #expect(lines[7...9].map(\.code) == ["NOT_FOUND", "INVALID_ARGUMENT", "INVALID_ARGUMENT"])
        #expect(
          lines[7...9].map(\.error) == [
            "UnregisteredError", "InvalidArgumentError", "InvalidArgumentError",
          ])
        #expect(lines[10].name == "projects/pushscope-loopback/messages/fake_message_id")
        await fixture.server.settle(within: .seconds(20))
        // Each once; what was only validated reached nobody.
        #expect(listener.receipts.map(\.mac).sorted() == (0...5).map { "mac-\($0)" })
        let statistics = await fixture.server.statistics()
        #expect(statistics.tokens == 2)
        #expect(statistics.accepted == 7)
        #expect(statistics.deliveries == 6)
        let requests = await fixture.server.script().requests
        #expect(requests.allSatisfy { $0.dialect == .fcm })
        #expect(requests.compactMap(\.index) == Array(0...6))
      }
    }
  }

  @Test func handsOutTokensThatEnd() async throws {
    var scenario = Scenario()
    scenario.tokens = TokenBehavior(revoked: [.milliseconds(1)])
    try await withLoopback(scenario) { fixture in
      // The first token is handed out at the very beginning, and worthless a millisecond later.
      let lines = try await Self.client(fixture, count: 2)
      #expect(lines[1...2].map(\.status) == [401, 401])
      #expect(lines[1].body?.contains("\"status\":\"UNAUTHENTICATED\"") == true)
      // firebase-admin asks for one of its own, which is good.
      #expect(lines[3].name != nil)
    }
  }

  @Test(arguments: [
    ("grant_type=x", "unsupported_grant_type"),
    ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c", "invalid_grant"),
  ])
  func refusesWhatIsNoAssertion(form: String, expected: String) async throws {
    try await withLoopback(Scenario()) { fixture in
      let answer = try await fixture.curl.ask("/oauth2/token", body: form)
      #expect(answer.status == 400)
      #expect(answer.body.contains("\"error\":\"\(expected)\""))
    }
  }

  @Test func wordsErrorsAsGoogleDoes() async throws {
    try await withLoopback(Scenario()) { fixture in
      let path = "/v1/projects/pushscope-loopback/messages:send"
      let none = try await fixture.curl.ask(path, headers: ["content-type: application/json"], body: "{}")
      #expect(none.status == 401)
      #expect(none.headers["www-authenticate"] != nil)
      let wrong = try await fixture.curl.ask(
        path, .http1, headers: ["content-type: application/json", "authorization: Bearer ya29.x"], body: "{}")
      #expect(wrong.body.contains("\"status\":\"UNAUTHENTICATED\""))
      let large = try await fixture.curl.ask(path, body: String(repeating: "x", count: 100_000))
      #expect(large.body.contains("FcmError"))
    }
  }
}
