import HTTPTestKit
import Measurement
import Testing

@testable import Configuration
@testable import LoopbackService

/// Files in which something is wrong for a while, with what a client sees meanwhile.
extension ScenarioRun {
  /// A scenario whose first episode begins with the first request and does not end.
  private static func now(_ scenario: Scenario) -> Scenario {
    var scenario = scenario
    scenario.episodes[0].window = ScenarioWindow(from: .zero, length: .seconds(3600))
    return scenario
  }

  /// A minute every ten: before and between there is none, and in it client, device and script agree.
  @Sendable static func episodeNow(_ scenario: Scenario) async throws {
    let name = try #require(scenario.episodes.first?.name)
    for seconds in [60, 119, 660, 719] {
      #expect(scenario.activeEpisodes(at: .seconds(seconds)).map(\.name) == [name])
    }
    for seconds in [0, 59, 120, 659, 720] {
      #expect(scenario.activeEpisodes(at: .seconds(seconds)).isEmpty)
      #expect(
        scenario.behavior(of: .apns, at: .seconds(seconds))
          == ScenarioBehavior(answers: scenario.answers, deliveries: scenario.deliveries))
    }
    var scenario = now(scenario)
    // What is refused cannot be the first: more streams come with an accepted request.
    scenario.seed =
      try #require(
        (1...100).first { seed in
          scenario.seed = seed
          return ScriptedOutcome(index: 0, at: .zero, in: scenario).outcome == .accepted
        })
    let record = try await all(scenario)
    #expect(record.requests.allSatisfy { $0.episode == name })
  }

  private static let one =
    "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"done\": 1}}]"

  /// Handshake, request and PING are late, each by the way there.
  @Sendable static func everythingIsLate(_ scenario: Scenario) async throws {
    #expect(scenario.connections(at: .seconds(59)).path == .none)
    #expect(scenario.connections(at: .seconds(61)).path != .none)
    #expect(scenario.connections(at: .seconds(120)).path == .none)
    try await withLoopback(now(scenario)) { fixture in
      let started = ContinuousClock.now
      let events = try await fixture.h2.run(one)
      let passed = ContinuousClock.now - started
      #expect(events.answers.map(\.status) == [200])
      #expect(passed >= .milliseconds(3 * 80), "the client's hello, its end of the handshake, its request")
      let script = await fixture.server.script()
      #expect(
        script.requests.map(\.answerAfter) == [.milliseconds(5)], "the service itself is as fast as ever")
      let pings = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, {\"ping\": 1}, {\"until\": {\"idle_ms\": 400}}]")
      let acknowledged = try #require(pings.first { $0.event == "pong" })
      #expect(acknowledged.after ?? 0 >= 80)
    }
  }

  @Sendable static func handshakesAreSlow(_ scenario: Scenario) async throws {
    #expect(scenario.connections(at: .seconds(61)).handshake != .none)
    var scenario = now(scenario)
    scenario.episodes[0].answers.faults[0].probability = 1
    try await withLoopback(scenario) { fixture in
      for number in 1...2 {
        let started = ContinuousClock.now
        let events = try await fixture.h2.run(one)
        #expect(ContinuousClock.now - started >= .milliseconds(400))
        #expect(events.answers.map(\.status) == [200] && events.goAways.count <= 1, "connection \(number)")
      }
    }
  }

  /// An open connection is closed at the episode's start; most new ones right away.
  @Sendable static func openConnectionsAreCut(_ scenario: Scenario) async throws {
    #expect(scenario.nextConnectionChange(after: .zero) == .seconds(60))
    #expect(scenario.nextConnectionChange(after: .seconds(60)) == .seconds(120))
    var scenario = scenario
    scenario.episodes[0].window = ScenarioWindow(from: .milliseconds(300), length: .seconds(3600))
    scenario.episodes[0].connections?.dropped = 1
    try await withLoopback(scenario) { fixture in
      let events = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1)), {\"until\": {\"closed\": true}}]")
      #expect(events.answers.map(\.status) == [200], "answered before")
      await #expect(throws: Curl.Failed.self) { try await fixture.curl.ask("/v1/health") }
      #expect(await fixture.server.statistics().faults == ["drop": 2])
    }
  }

  /// What is sent to the device that sleeps arrives at its waking, and to another one as always.
  @Sendable static func oneDeviceSleeps(_ scenario: Scenario) async throws {
    var scenario = now(scenario)
    scenario.episodes[0].devices["phone"]?.asleep = .init(length: .milliseconds(900), every: .seconds(1))
    scenario.deliveries.delay = .constant(.milliseconds(10))
    scenario.episodes[0].deliveries.delay = scenario.deliveries.delay
    let listener = TestReceiptListener()
    try await withReceiptListener(listener) { destination in
      try await withLoopback(scenario, receipts: destination) { fixture in
        let pushes = (2...9).map { ",\(LoopbackFixture.push($0, to: $0 % 2 == 0 ? "phone" : "tablet"))" }
          .joined()
        _ = try await fixture.h2.run(
          "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(1, to: "tablet")), {\"until\": {\"done\": 1}},"
            + " {\"until\": {\"max_streams\": 1000}}\(pushes), {\"until\": {\"done\": 9}}]")
        await fixture.server.settle(within: .seconds(20))
        let script = await fixture.server.script()
        for request in script.requests {
          let delivery = try #require(request.deliveries.first)
          let isPhone = (request.index ?? 0) % 2 == 1
          let due = request.at + .milliseconds(10)
          let wakes =
            isPhone
            ? try #require(DeliveryBehavior.Sleep(length: .milliseconds(900), every: .seconds(1))).wake(due)
            : due
          #expect(request.at + delivery == wakes, "\(request)")
        }
        let names = Dictionary(grouping: listener.receipts, by: \.device).mapValues(\.count)
        #expect(names == ["phone": 4, "tablet": 5], "receipts name their device")
      }
    }
  }

  @Sendable static func oneDeviceLoses(_ scenario: Scenario) async throws {
    for (device, isConcerned) in [("phone", true), ("tablet", false)] {
      let outcomes = (0..<2000).map {
        ScriptedOutcome(index: $0, to: device, at: .seconds(61), in: scenario)
      }
      #expect(
        OutcomeDraws.isLikely(outcomes.count(where: \.isLost), share: isConcerned ? 0.33 : 0, of: 2000))
      let delay = Duration.milliseconds(isConcerned ? 100 : 50)
      #expect(outcomes.allSatisfy { $0.isLost || $0.deliveryDelays == [delay] })
      let before = ScriptedOutcome(index: 3, to: device, at: .zero, in: scenario)
      #expect(before.deliveryDelays == [delay])
    }
    try await all(now(scenario))
  }

  /// Of two episodes at once each has what it changes.
  @Sendable static func burstsGoOn(_ scenario: Scenario) async throws {
    for (seconds, lost, delay, names) in [
      (6, 0.002, 50, []), (7, 0.8, 50, ["burst"]), (61, 0.002, 150, ["slow"]),
      (67, 0.8, 150, ["burst", "slow"]), (127, 0.8, 50, ["burst"]),
    ] {
      let deliveries = scenario.behavior(of: .apns, at: .seconds(seconds)).deliveries
      #expect(deliveries.lost == lost && deliveries.delay == .constant(.milliseconds(delay)))
      #expect(scenario.activeEpisodes(at: .seconds(seconds)).map(\.name) == names)
    }
    let both = ScriptedOutcome(index: 0, at: .seconds(67), in: scenario)
    #expect(both.episode == "burst + slow")
    try await all(now(scenario))
  }
}
