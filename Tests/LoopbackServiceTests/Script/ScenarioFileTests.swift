import Configuration
import Foundation
import HTTPTestKit
import LoopbackService
import Testing

/// The shipped scenario files are the specification: what they say happens, to the last notification of the script.
@Suite struct ScenarioFileTests {
  private static let folder = Tool.root + "/config/scenarios"

  private static func scenario(_ name: String) throws -> Scenario {
    try Scenario.load(path: "\(folder)/\(name).yaml")
  }

  @Test func everyFileIsReadByTheServicesOwnWords() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter {
      $0.hasSuffix(".yaml")
    }
    #expect(files.count >= 20)
    for file in files { _ = try Scenario.load(path: "\(Self.folder)/\(file)") }
  }

  /// Client, device and script agree on every request, whatever the file does to it.
  @Test(arguments: [
    "steady", "loss", "errors", "reset", "silence", "accept-then-drop", "duplicate", "bimodal",
  ])
  func clientsSeeWhatTheFileSays(name: String) async throws {
    let count = 150
    let ear = ReceiptEar()
    let scenario = try Self.scenario(name)
    try await withEar(ear) { destination in
      try await withLoopback(scenario, receipts: destination) { fixture in
        let expected = ScriptCountTests.expected(count, scenario)
        try #require(expected[0].isAccepted, "choose a seed whose first notification is accepted")
        let answered = expected.count { $0.isAnswered }
        let events = try await fixture.pushAll(count, waitingFor: answered)
        await fixture.server.settle(within: .seconds(30))
        let requests = await fixture.server.script().requests
        #expect(requests.count == count)
        for (request, fate) in zip(requests, expected) { #expect(fate.matches(request)) }
        for status in Set(requests.compactMap(\.status)) {
          #expect(events.answers.count { $0.status == status } == requests.count { $0.status == status })
        }
        #expect(events.resets.count { $0.code == 2 } == requests.count { $0.answer == .fault(.reset) })
        #expect(events.resets.count { $0.code == 7 } == requests.count { $0.answer == .fault(.refuse) })
        var heard: [String: Int] = [:]
        for receipt in ear.receipts { heard[receipt.id, default: 0] += 1 }
        for request in requests { #expect(heard[request.id] ?? 0 == request.deliveries.count) }
      }
    }
  }

  @Test func goawayEndsConnectionsInBothWays() async throws {
    var scenario = try Self.scenario("goaway")
    #expect(scenario.answers.faults.map(\.kind) == [.goaway, .goawayUnprocessed])
    // One of each, at once.
    for kind in [AnswerFault.Kind.goaway, .goawayUnprocessed] {
      scenario.answers.faults = [AnswerFault(kind: kind, probability: 1, isDelivered: kind == .goaway)]
      try await withLoopback(scenario) { fixture in
        let events = try await fixture.h2.run(
          "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"closed\": true}}]")
        #expect(events.goAways.map(\.lastStream) == [kind == .goaway ? 1 : 0])
        #expect(events.answers.count == (kind == .goaway ? 1 : 0))
      }
    }
  }

  @Test func streamLimitsChangeInMidConnection() async throws {
    var scenario = try Self.scenario("stream-limit")
    #expect(scenario.streamLimit(at: .seconds(2)) == 100)
    #expect(scenario.streamLimit(at: .seconds(3)) == 3)
    #expect(scenario.streamLimit(at: .seconds(5)) == 100)
    #expect(scenario.streamLimit(at: .seconds(14)) == 3)
    #expect(scenario.nextStreamLimitChange(after: .zero) == .seconds(3))
    #expect(scenario.nextStreamLimitChange(after: .seconds(3)) == .seconds(5))
    #expect(scenario.nextStreamLimitChange(after: .seconds(5)) == .seconds(13))
    // The same, ten times as fast.
    scenario.episodes[0].window = ScenarioWindow(
      from: .milliseconds(300), length: .milliseconds(200), every: .seconds(60))
    try await withLoopback(scenario) { fixture in
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"max_streams\": 100}},"
          + " {\"until\": {\"max_streams\": 3}}, {\"until\": {\"max_streams\": 100}}]")
      #expect(events.streamLimits == [1, 100, 3, 100])
    }
  }

  @Test func droppedConnectionsStandAndAreCut() async throws {
    var scenario = try Self.scenario("connections")
    #expect(scenario.connections.dropped == 0.33)
    scenario.connections.dropped = 1
    try await withLoopback(scenario) { fixture in
      await #expect(throws: Curl.Failed.self) { try await fixture.curl.ask("/v1/health") }
      #expect(await fixture.server.statistics().faults["drop"] ?? 0 >= 1)
      #expect(await fixture.server.statistics().requests == 0)
    }
  }

  @Test func tokensAreRevokedWhenTheFileSaysSo() throws {
    let scenario = try Self.scenario("token-rejection")
    #expect(scenario.tokens.revoked == [.seconds(10), .seconds(40)])
    #expect(scenario.tokens.lifetime == .seconds(120))
    #expect(scenario.tokens.unavailable == 0.1)
  }

  @Test func sectionsAreForOneDialectAlone() throws {
    let scenario = try Self.scenario("dialects")
    func errors(_ dialect: ScenarioDialect) -> [String] {
      scenario.behaviour(of: dialect, at: .zero).answers.errors.map(\.reason)
    }
    #expect(errors(.apns) == ["Unregistered", "TooManyRequests"])
    #expect(errors(.fcm) == ["QUOTA_EXCEEDED", "UNREGISTERED", "INTERNAL"])
    #expect(errors(.webpush) == ["Unregistered", "TooManyRequests"])
    #expect(errors(.ntfy) == ["42901"])
    #expect(scenario.behaviour(of: .webpush, at: .zero).deliveries.lost == 0.02)
    #expect(scenario.behaviour(of: .apns, at: .zero).deliveries.lost == 0)
  }

  @Test func overloadRefusesEverythingForAWhile() throws {
    let scenario = try Self.scenario("retry-after")
    let during = scenario.behaviour(of: .fcm, at: .seconds(21)).answers.errors
    #expect(during.map(\.probability) == [1])
    #expect(during.first?.retryAfter == .seconds(5))
    #expect(scenario.behaviour(of: .fcm, at: .seconds(26)).answers.errors.map(\.status) == [429])
  }
}

extension ScriptedRequest {
  /// Of an answer that is one.
  fileprivate var status: Int? {
    switch answer {
    case .accepted: 200
    case .refused(let status, _): status
    case .fault: nil
    }
  }
}
