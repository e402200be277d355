import Foundation
import HTTPServer
import HTTPTestKit
import LoopbackService
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Configuration

@Suite(.ownThread) struct LoopbackServerTests {
  /// The same server as the receipt listener's, with other limits.
  @Test func keepsToTheRFCs() async throws {
    try await withLoopback(Scenario()) { fixture in
      let outcome = try await HTTP2Conformance(
        port: fixture.server.port, authorityFile: fixture.server.credentials.authorityFile,
        path: "/nowhere/at-all")
      #expect(outcome.count == HTTP2Conformance.caseCount)
      #expect(outcome.surprises == [])
    }
  }

  @Test func answersAsAPNsDoes() async throws {
    try await withLoopback(Scenario()) { fixture in
      let path = "/3/device/\(LoopbackFixture.token)"
      let headers = ["authorization: bearer loopback", "apns-topic: com.example.app"]
      let id = "0193b1a0-0000-8000-8000-00000000abcd"
      let good = try await fixture.curl.ask(path, headers: headers + ["apns-id: \(id)"], body: "{\"aps\":{}}")
      #expect(good.status == 200)
      #expect(good.headers["apns-id"] == id)
      #expect(good.body.isEmpty)
      let fresh = try await fixture.curl.ask(path, headers: headers, body: "{\"aps\":{}}")
      #expect(fresh.headers["apns-id"]?.count == 36)
      let bad = try await fixture.curl.ask(
        path, headers: headers + ["apns-priority: 3", "apns-id: \(id)"], body: "{}")
      #expect(bad.status == 400)
      #expect(bad.body == "{\"reason\":\"BadPriority\"}")
      #expect(bad.headers["apns-id"] == id)
      #expect(bad.headers["content-type"] == "application/json")
      let large = try await fixture.curl.ask(
        path, headers: headers, body: String(repeating: "x", count: 100_000))
      #expect(large.status == 413)
      #expect(large.body == "{\"reason\":\"PayloadTooLarge\"}")
      let statistics = await fixture.server.statistics()
      #expect(statistics.requests == 4)
      #expect(statistics.accepted == 2)
      #expect(statistics.refused == ["BadPriority": 1, "PayloadTooLarge": 1])
      await #expect(throws: Curl.Failed.self) { try await fixture.curl.ask(path, .http1) }
    }
  }

  @Test func trustsAConnectionAfterItsFirstGoodRequest() async throws {
    try await withLoopback(Scenario(streamLimit: 77)) { fixture in
      let bad = #"{"request": {"path": "/3/device/x"}}"#
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(bad), {\"until\": {\"done\": 1}}, {\"until\": {\"idle_ms\": 50}},"
          + "\(LoopbackFixture.push(1)), {\"until\": {\"max_streams\": 77}}, \(LoopbackFixture.push(2)),"
          + " {\"until\": {\"done\": 3}}]")
      #expect(events.streamLimits == [1, 77])
      let order = events.map(\.event)
      #expect(order.firstIndex(of: "answer") ?? 9 < order.lastIndex(of: "settings") ?? 0)
    }
  }

  @Test func endsAConnectionThatSendsTwoRequestsTooEarly() async throws {
    try await withLoopback(Scenario(answers: AnswerBehavior(delay: .constant(.seconds(5))))) { fixture in
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, {\"break_limit\": true}, \(LoopbackFixture.push(1)),"
          + "\(LoopbackFixture.push(2)), {\"until\": {\"closed\": true}}]")
      #expect(events.goAways.first?.code == 1)
      #expect(events.answers.isEmpty)
    }
  }

  /// Apple's words for what it wants of clients are one thing, a client that grew against the real service another.
  @Test func servesAIOAPNs() async throws {
    try await withLoopback(Scenario()) { fixture in
      let outcome = try await Programs.run(
        Programs.python,
        [
          "\(Programs.scripts)/apns_client.py", "\(fixture.server.port)",
          fixture.directory.path, "200",
        ])
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(
        outcome.output.split(separator: "\n").map(String.init) == [
          "200 200", "403 InvalidProviderToken", "400 BadDeviceToken", "400 BadTopic",
        ])
      let statistics = await fixture.server.statistics()
      #expect(statistics.accepted == 200)
      #expect(statistics.connections == 2, "one for each key")
    }
  }

  private func fault(_ kind: AnswerFault.Kind, delivered: Bool = false) -> Scenario {
    Scenario(
      answers: AnswerBehavior(faults: [AnswerFault(kind: kind, probability: 1, isDelivered: delivered)]))
  }

  @Test func doesNotAnswerInEachWay() async throws {
    let one = "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"done\": 1}}]"
    try await withLoopback(fault(.reset, delivered: true)) { fixture in
      let events = try await fixture.h2.run(one)
      #expect(events.resets.map(\.code) == [2])
      #expect(await fixture.server.statistics().deliveries == 1)
    }
    try await withLoopback(fault(.refuse)) { fixture in
      let events = try await fixture.h2.run(one)
      #expect(events.resets.map(\.code) == [7])
      #expect(await fixture.server.statistics().faults == ["refuse": 1])
    }
    let closed =
      "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"closed\": true}}]"
    try await withLoopback(fault(.disconnect)) { fixture in
      let events = try await fixture.h2.run(closed)
      #expect(events.answers.isEmpty && events.resets.isEmpty && events.goAways.isEmpty)
    }
    try await withLoopback(fault(.goaway, delivered: true)) { fixture in
      let events = try await fixture.h2.run(closed)
      #expect(events.answers.map(\.status) == [200])
      #expect(events.goAways.map(\.debug) == ["{\"reason\":\"Shutdown\"}"])
      #expect(await fixture.server.statistics().accepted == 1)
    }
    try await withLoopback(fault(.goawayUnprocessed)) { fixture in
      let events = try await fixture.h2.run(closed)
      #expect(events.answers.isEmpty)
      #expect(events.goAways.map(\.lastStream) == [0], "the request was not processed")
      #expect(await fixture.server.statistics().deliveries == 0)
    }
    try await withLoopback(fault(.silence)) { fixture in
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"idle_ms\": 200}}]")
      #expect(events.map(\.event) == ["settings"])
      #expect(await fixture.server.statistics().faults == ["silence": 1])
    }
  }

  @Test func tellsWhatAnErrorTells() async throws {
    let errors = [
      ErrorAnswer(reason: "TooManyRequests", status: 429, probability: 1, retryAfter: .milliseconds(1500))
    ]
    try await withLoopback(Scenario(answers: AnswerBehavior(errors: errors))) { fixture in
      let answer = try await fixture.curl.ask(
        "/3/device/\(LoopbackFixture.token)", headers: ["authorization: bearer loopback", "apns-topic: a"],
        body: "{}")
      #expect(answer.status == 429)
      #expect(answer.headers["retry-after"] == "2")
      #expect(answer.body == "{\"reason\":\"TooManyRequests\"}")
    }
    let gone = [ErrorAnswer(reason: "Unregistered", status: 410, probability: 1)]
    try await withLoopback(Scenario(answers: AnswerBehavior(errors: gone))) { fixture in
      let answer = try await fixture.curl.ask(
        "/3/device/\(LoopbackFixture.token)", headers: ["authorization: bearer loopback", "apns-topic: a"],
        body: "{}")
      #expect(answer.status == 410)
      #expect(answer.body.hasPrefix("{\"reason\":\"Unregistered\",\"timestamp\":1"))
    }
  }

  @Test func standsStillInAFreeze() async throws {
    // From the very first request: what arrives within the first 300 ms is answered at their end, not before.
    let scenario = Scenario(
      answers: AnswerBehavior(delay: .constant(.milliseconds(20))),
      deliveries: DeliveryBehavior(delay: .constant(.milliseconds(30))),
      freezes: [ScenarioWindow(from: .zero, length: .milliseconds(300))])
    try await withLoopback(scenario) { fixture in
      let started = ContinuousClock.now
      _ = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"done\": 1}}]")
      #expect(ContinuousClock.now - started >= .milliseconds(320))
      await fixture.server.settle(within: .seconds(10))
      let request = try #require(await fixture.server.script().requests.first)
      #expect(request.at == .zero)
      #expect(request.answerAfter == .milliseconds(320))
      #expect(request.deliveries == [.milliseconds(330)])
    }
  }

  @Test func refusesToStartWhereItCannotServe() async throws {
    try await withLoopback(Scenario()) { fixture in
      let taken = LoopbackOptions(port: fixture.server.port, credentialsDirectory: fixture.directory.path)
      let error = await #expect(throws: HTTPServerError.self) { _ = try await LoopbackServer.start(taken) }
      #expect(error?.code == .bind)
      let nowhere = LoopbackOptions(
        port: 0, credentialsDirectory: fixture.directory.path, scriptFile: fixture.directory.path)
      let second = await #expect(throws: LoopbackError.self) { _ = try await LoopbackServer.start(nowhere) }
      #expect(second?.place == fixture.directory.path)
    }
  }
}
