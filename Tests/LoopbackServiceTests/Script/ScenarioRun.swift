import Cryptography
import Foundation
import HTTPTestKit
import Measurement
import Testing

@testable import Configuration
@testable import LoopbackService

/// Scenario files on the wire: python-h2, curl and other people's libraries see what the files say.
enum ScenarioRun {
  /// What a play has left behind.
  struct Record {
    var events: [H2Client.Event]
    var requests: [ScriptedRequest]
    var deliveries: [ScriptedDelivery]
  }

  /// Client, device and script agree on every request, to the last one.
  @discardableResult
  static func all(_ scenario: Scenario, count: Int = 150) async throws -> Record {
    let listener = TestReceiptListener()
    var record = Record(events: [], requests: [], deliveries: [])
    try await withReceiptListener(listener) { destination in
      try await withLoopback(scenario, receipts: destination) { fixture in
        let expected = ScriptCountTests.expected(count, scenario)
        try #require(expected[0].isAccepted, "choose a seed whose first notification is accepted")
        let answered = expected.count { $0.isAnswered }
        let events = try await fixture.pushAll(count, waitingFor: answered)
        await fixture.server.settle(within: .seconds(30))
        let script = await fixture.server.script()
        let requests = script.requests
        #expect(requests.count == count)
        for (request, scripted) in zip(requests, expected) { #expect(scripted.matches(request)) }
        for status in Set(requests.compactMap(\.status)) {
          #expect(events.answers.count { $0.status == status } == requests.count { $0.status == status })
        }
        #expect(events.resets.count { $0.code == 2 } == requests.count { $0.answer == .fault(.reset) })
        #expect(events.resets.count { $0.code == 7 } == requests.count { $0.answer == .fault(.refuse) })
        var heard: [String: Int] = [:]
        for receipt in listener.receipts { heard[receipt.id, default: 0] += 1 }
        for request in requests { #expect(heard[request.id] ?? 0 == request.deliveries.count) }
        record = Record(events: events, requests: requests, deliveries: script.deliveries)
      }
    }
    return record
  }

  @Sendable static func lastOne(_ scenario: Scenario) async throws { try await all(scenario) }

  @Sendable static func nothingHappens(_ scenario: Scenario) async throws {
    let record = try await all(scenario)
    #expect(record.events.answers.count { $0.status == 200 } == 150)
    #expect(record.requests.allSatisfy { $0.answerAfter == .zero && $0.deliveries == [.milliseconds(50)] })
  }

  @Sendable static func looksPerfectAndLoses(_ scenario: Scenario) async throws {
    let record = try await all(scenario)
    #expect(record.events.answers.count { $0.status == 200 } == 150)
    #expect(OutcomeDraws.isLikely(record.requests.count { $0.isLost }, share: 0.2, of: 150))
    #expect(record.deliveries.count == record.requests.count { !$0.isLost })
  }

  @Sendable static func laterOnesOvertake(_ scenario: Scenario) async throws {
    let record = try await all(scenario)
    let held = record.requests.filter(\.isReordered)
    #expect(!held.isEmpty && held.allSatisfy { $0.deliveries == [.milliseconds(830)] })
    // All that came well before a held one was due are at the device before it, later numbers included.
    let order = record.deliveries.compactMap(\.index)
    var overtaken = 0
    for request in held {
      let place = try #require(order.firstIndex { $0 == request.index })
      for other in record.requests
      where !other.isReordered && other.at + .milliseconds(400) < request.at + .milliseconds(830) {
        let otherPlace = try #require(order.firstIndex { $0 == other.index })
        #expect(otherPlace < place)
        overtaken += (other.index ?? 0) > (request.index ?? 0) ? 1 : 0
      }
    }
    #expect(overtaken > 0)
  }

  /// Held against the distributions' own formulas: a Pareto delay is up to m (1 − p)^(−1/α) with probability p, an
  /// exponential one up to −μ ln(1 − p).
  @Sendable static func tailsAreHeavy(_ scenario: Scenario) async throws {
    let count = 100_000
    let outcomes = OutcomeDraws(in: scenario, count: count).outcomes
    let ways = outcomes.compactMap(\.deliveryDelays.first).map { $0 / .milliseconds(1) }
    let answers = outcomes.map { $0.answerDelay / .milliseconds(1) }
    #expect(ways.count == count)
    for p in [0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999] {
      let way = 40 * pow(1 - p, -1 / 1.2)
      let found = ways.count { $0 <= way }
      #expect(OutcomeDraws.isLikely(found, share: p, of: count), "\(found) of \(count) within \(way) ms")
      let answer = -6 * log(1 - p)
      let quick = answers.count { $0 <= answer }
      #expect(
        OutcomeDraws.isLikely(quick, share: p, of: count), "\(quick) of \(count) answered in \(answer) ms")
    }
    // One in a thousand takes more than 300 times the minimum; what would take more than a minute takes a minute.
    #expect(OutcomeDraws.isLikely(ways.count { $0 > 12_000 }, share: 0.001, of: count))
    #expect(ways.min() ?? 0 >= 40 && ways.max() == 60_000 && answers.max() ?? 0 <= 1000)
    #expect(OutcomeDraws.isLikely(ways.count { $0 == 60_000 }, share: pow(40.0 / 60_000, 1.2), of: count))
    // On the wire up to the first that takes its time.
    let patient = ways.firstIndex { $0 > 3000 } ?? 0
    #expect(patient > 20)
    try await all(scenario, count: min(150, patient))
  }

  /// One of each, at once.
  @Sendable static func eachFault(_ scenario: Scenario) async throws {
    let push = LoopbackFixture.push(1)
    for fault in scenario.answers.faults {
      var scenario = scenario
      scenario.answers.faults = [
        AnswerFault(kind: fault.kind, probability: 1, isDelivered: fault.isDelivered)
      ]
      try await withLoopback(scenario) { fixture in
        let end =
          switch fault.kind {
          case .reset, .refuse: #"{"until": {"done": 1}}"#
          case .goaway, .goawayUnprocessed, .disconnect: #"{"until": {"closed": true}}"#
          case .silence: #"{"until": {"idle_ms": 200}}"#
          }
        let events = try await fixture.h2.run("[{\"until\": {\"max_streams\": 1}}, \(push), \(end)]")
        await fixture.server.settle(within: .seconds(20))
        let codes: [Int] =
          switch fault.kind {
          case .reset: [2]
          case .refuse: [7]
          default: []
          }
        #expect(events.resets.compactMap(\.code) == codes, "\(fault.kind)")
        #expect(events.answers.map(\.status) == (fault.kind == .goaway ? [200] : []), "\(fault.kind)")
        let lastStreams: [Int] =
          switch fault.kind {
          case .goaway: [1]
          case .goawayUnprocessed: [0]
          default: []
          }
        #expect(events.goAways.compactMap(\.lastStream) == lastStreams, "\(fault.kind)")
        let statistics = await fixture.server.statistics()
        #expect(statistics.faults == [fault.kind.rawValue: 1])
        #expect(statistics.deliveries == (fault.isDelivered ? 1 : 0), "\(fault.kind)")
      }
    }
  }

  /// The file's freeze, moved to the first request and into the time until its answer.
  @Sendable static func standsStill(_ scenario: Scenario) async throws {
    #expect(scenario.thaw(.milliseconds(9999)) == .milliseconds(9999))
    #expect(scenario.thaw(.seconds(10)) == .milliseconds(11_400))
    #expect(scenario.thaw(.milliseconds(11_399)) == .milliseconds(11_400))
    #expect(scenario.thaw(.milliseconds(11_400)) == .milliseconds(11_400))
    let one = "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"done\": 1}}]"
    for (from, answer, delivery) in [(0, 1402, 1420), (1, 1401, 1401)] {
      var scenario = scenario
      scenario.freezes[0].from = .milliseconds(from)
      try await withLoopback(scenario) { fixture in
        let started = ContinuousClock.now
        _ = try await fixture.h2.run(one)
        #expect(ContinuousClock.now - started >= .milliseconds(answer - from))
        await fixture.server.settle(within: .seconds(20))
        let script = await fixture.server.script()
        let request = try #require(script.requests.first)
        #expect(request.answerAfter == .milliseconds(answer))
        #expect(request.deliveries == [.milliseconds(delivery)])
        let delivered = try #require(script.deliveries.first)
        #expect(delivered.receivedAt - request.arrivedAt >= .milliseconds(delivery))
      }
    }
  }

  @Sendable static func saysWhenToComeBack(_ scenario: Scenario) async throws {
    func errors(at seconds: Int) -> [ErrorAnswer] {
      scenario.behavior(of: .apns, at: .seconds(seconds)).answers.errors
    }
    #expect([0, 19, 25, 79, 85].allSatisfy { errors(at: $0).map(\.status) == [429] })
    #expect([20, 24, 80, 84].allSatisfy { errors(at: $0).map(\.probability) == [1] })
    for (time, status, seconds) in [(0, 429, "2"), (20, 503, "5")] {
      // As at that time, for good; and certain.
      var scenario = scenario
      scenario.answers.errors = errors(at: time)
      scenario.answers.errors[0].probability = 1
      scenario.episodes = []
      try await withLoopback(scenario) { fixture in
        let events = try await fixture.h2.run(
          "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"done\": 1}}]")
        #expect(events.answers.map(\.status) == [status], "at \(time) s")
        #expect(events.answers.map { $0.headers?["retry-after"] } == [seconds], "at \(time) s")
      }
    }
    try await all(scenario)
  }

  @Sendable static func streamLimitsChange(_ scenario: Scenario) async throws {
    #expect(scenario.streamLimit(at: .seconds(2)) == 100)
    #expect(scenario.streamLimit(at: .seconds(3)) == 3)
    #expect(scenario.streamLimit(at: .seconds(5)) == 100)
    #expect(scenario.streamLimit(at: .seconds(14)) == 3)
    #expect(scenario.nextConnectionChange(after: .zero) == .seconds(3))
    #expect(scenario.nextConnectionChange(after: .seconds(3)) == .seconds(5))
    #expect(scenario.nextConnectionChange(after: .seconds(5)) == .seconds(13))
    // The same, ten times as fast.
    var scenario = scenario
    scenario.episodes[0].window = ScenarioWindow(
      from: .milliseconds(300), length: .milliseconds(200), every: .seconds(60))
    try await withLoopback(scenario) { fixture in
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"max_streams\": 100}},"
          + " {\"until\": {\"max_streams\": 3}}, {\"until\": {\"max_streams\": 100}}]")
      #expect(events.streamLimits == [1, 100, 3, 100])
    }
  }

  @Sendable static func connectionsAreCut(_ scenario: Scenario) async throws {
    try await withLoopback(scenario) { fixture in
      var cut = 0
      for _ in 0..<12 {
        do { _ = try await fixture.curl.ask("/v1/health") } catch is Curl.Failed { cut += 1 }
      }
      let statistics = await fixture.server.statistics()
      #expect((1...8).contains(cut), "one in three")
      #expect(statistics.faults == ["drop": cut])
      #expect(statistics.requests == 12 - cut, "nothing was said on those that were cut")
    }
    // One that is in use takes with it all that is under way.
    var scenario = scenario
    scenario.connections.dropped = 0
    scenario.answers.delay = .constant(.milliseconds(200))
    let first = try #require(
      (1...).first { ScriptedOutcome(index: $0, at: .zero, in: scenario).outcome != .accepted })
    scenario.answers.faults[0].probability = 1
    #expect(first > 10, "now and then")
    try await withLoopback(scenario) { fixture in
      let streams = (1...5).map { ", \(LoopbackFixture.push($0))" }.joined()
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, {\"request\": {\"path\": \"/v1/health\"}},"
          + " {\"until\": {\"max_streams\": 1000}}\(streams), {\"until\": {\"closed\": true}}]")
      #expect(events.answers.allSatisfy { $0.stream == 1 } && events.goAways.isEmpty && events.resets.isEmpty)
    }
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
