import Foundation
import HTTPTestKit
import LoopbackService
import TestKit
import TestTraits
import Testing

@testable import Configuration

/// Web Push through http-ece and py-vapid, and what they would never send through curl.
@Suite(.ownThread) struct WebPushTests {
  private struct Line: Decodable {
    var status: Int
    var headers: [String: String]
    var body: String
  }

  private static func client(
    _ fixture: LoopbackFixture, _ file: String = "subscription.json", count: Int = 1
  ) async throws -> [Line] {
    let outcome = try await Programs.run(
      Programs.python,
      [
        "\(Programs.scripts)/dialect_client.py", "webpush", fixture.directory.path, "\(count)",
        fixture.directory.file(file),
      ])
    #expect(outcome.status == 0, "\(outcome.error)")
    return try outcome.jsonLines(as: Line.self)
  }

  private static func path(
    _ fixture: LoopbackFixture, _ file: String = "subscription.json"
  ) throws -> String {
    struct Subscription: Decodable { var endpoint: String }
    let data = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.file(file)))
    let endpoint = try JSONDecoder().decode(Subscription.self, from: data).endpoint
    return try #require(URL(string: endpoint)?.path)
  }

  @Test func decryptsWhatOthersEncryptAndTellsTheCollector() async throws {
    let listener = TestReceiptListener()
    try await withReceiptListener(listener) { destination in
      try await withLoopback(Scenario(), receipts: destination) { fixture in
        let lines = try await Self.client(fixture, count: 4)
        #expect(lines.map(\.status) == [201, 201, 201, 201])
        #expect(lines[0].headers["ttl"] == "60")
        #expect(lines[0].headers["location"]?.contains("/wpush/m/") == true)
        await fixture.server.settle(within: .seconds(20))
        #expect(listener.receipts.map(\.mac).sorted() == ["mac-0", "mac-1", "mac-2", "mac-3"])
        let dialects = await fixture.server.script().requests.map(\.dialect)
        #expect(dialects == Array(repeating: .webpush, count: 4))
      }
    }
  }

  @Test func answersAsEachServiceDoes() async throws {
    for file in ["subscription.json", "subscription-apple.json", "subscription-unifiedpush.json"] {
      try await withLoopback(Scenario()) { fixture in
        let line = try #require(try await Self.client(fixture, file).first)
        #expect(line.status == 201)
        let named = line.headers[file == "subscription-apple.json" ? "apns-id" : "location"]
        #expect(named != nil, "\(file)")
      }
      let gone = ErrorAnswer(reason: "Unregistered", status: 410, probability: 1, retryAfter: .seconds(3))
      try await withLoopback(Scenario(answers: AnswerBehavior(errors: [gone]))) { fixture in
        let line = try #require(try await Self.client(fixture, file).first)
        #expect(line.status == 410)
        #expect(line.headers["retry-after"] == "3")
        switch file {
        case "subscription.json": #expect(line.body.contains("\"errno\":103,\"error\":\"Gone\""))
        case "subscription-apple.json": #expect(line.body == "{\"reason\":\"Unregistered\"}")
        default: #expect(line.body.isEmpty)
        }
      }
    }
  }

  @Test func refusesWhatAServiceMust() async throws {
    try await withLoopback(Scenario()) { fixture in
      let path = try Self.path(fixture)
      let unsigned = try await fixture.curl.ask(path, headers: ["ttl: 60"], body: "")
      #expect(unsigned.status == 401)
      #expect(unsigned.body.contains("\"errno\":109"))
      let apple = try await fixture.curl.ask(
        try Self.path(fixture, "subscription-apple.json"), headers: ["ttl: 60"], body: "")
      #expect(apple.body == "{\"reason\":\"MissingVapid\"}")
      let unknown = try await fixture.curl.ask("/wpush/v2/nobody", headers: ["ttl: 60"], body: "")
      #expect(unknown.status == 404)
      #expect(unknown.body.contains("\"errno\":102"))
      #expect(try await fixture.curl.ask("/wpush/m/none", arguments: ["-X", "DELETE"]).status == 404)
      #expect(try await fixture.curl.ask(path, body: String(repeating: "x", count: 100_000)).status == 413)
    }
  }

  @Test func callsAMessageBack() async throws {
    let scenario = Scenario(deliveries: DeliveryBehavior(delay: .constant(.seconds(600))))
    try await withLoopback(scenario) { fixture in
      let line = try #require(try await Self.client(fixture).first)
      let path = try #require(line.headers["location"].flatMap { URL(string: $0)?.path })
      #expect(try await fixture.curl.ask(path, arguments: ["-X", "DELETE"]).status == 204)
      #expect(try await fixture.curl.ask(path, arguments: ["-X", "DELETE"]).status == 404)
    }
  }
}
