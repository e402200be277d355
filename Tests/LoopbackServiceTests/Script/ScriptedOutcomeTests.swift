import Testing

@testable import Configuration
@testable import LoopbackService

@Suite struct ScriptedOutcomeTests {
  private static let count = 20_000

  private static let scenario = Scenario(
    seed: 5,
    answers: AnswerBehavior(
      delay: DelayDistribution(.exponential(mean: .milliseconds(6))),
      errors: [
        ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.05),
        ErrorAnswer(reason: "Unregistered", status: 410, probability: 0.02, isDelivered: true),
      ],
      faults: [AnswerFault(kind: .reset, probability: 0.03)]),
    deliveries: DeliveryBehavior(
      delay: DelayDistribution(.lognormal(median: .milliseconds(200), sigma: 0.4)), lost: 0.1,
      duplicated: 0.2,
      reordered: .init(probability: 0.3, by: .seconds(1))))

  private func outcomes(_ scenario: Scenario, count: Int = count) -> [ScriptedOutcome] {
    (0..<count).map { ScriptedOutcome(index: $0, at: .zero, in: scenario) }
  }

  @Test func isTheSeedsAndTheNumbersAlone() {
    #expect(outcomes(Self.scenario, count: 500) == outcomes(Self.scenario, count: 500))
    #expect(
      ScriptedOutcome(index: 77, at: .seconds(99), in: Self.scenario)
        == ScriptedOutcome(index: 77, at: .zero, in: Self.scenario))
    var other = Self.scenario
    other.seed = 6
    #expect(outcomes(other, count: 500) != outcomes(Self.scenario, count: 500))
  }

  /// Four and a half standard deviations of the binomial distribution: seeded, so either right or wrong.
  @Test func frequenciesAreTheProbabilities() {
    let outcomes = outcomes(Self.scenario)
    func expect(_ p: Double, of n: Int = Self.count, _ what: String, _ holds: (ScriptedOutcome) -> Bool) {
      let found = Double(outcomes.count(where: holds))
      #expect(abs(found - Double(n) * p) < 4.5 * (Double(n) * p * (1 - p)).squareRoot(), "\(what): \(found)")
    }
    expect(0.90, "accepted") { $0.outcome == .accepted }
    expect(0.05, "503") { if case .error(let error) = $0.outcome { error.status == 503 } else { false } }
    expect(0.02, "410") { if case .error(let error) = $0.outcome { error.status == 410 } else { false } }
    expect(0.03, "reset") { if case .fault = $0.outcome { true } else { false } }
    let sent = 0.92
    expect(sent * 0.1, "lost") { $0.isLost }
    expect(sent * 0.9 * 0.2, "duplicated") { $0.deliveryDelays.count == 2 }
    expect(sent * 0.9 * 0.3, "reordered") { $0.isReordered }
    expect(sent * 0.9, "delivered") { !$0.deliveryDelays.isEmpty }
    // Independent of each other.
    expect(sent * 0.9 * 0.2 * 0.3, "both") { $0.isReordered && $0.deliveryDelays.count == 2 }
  }

  @Test func delaysFollowTheirDistributions() {
    var scenario = Self.scenario
    scenario.deliveries.reordered = nil
    let outcomes = outcomes(scenario)
    func distance(_ delays: [Duration], _ distribution: DelayDistribution) -> Double {
      let sorted = delays.sorted()
      return sorted.enumerated().map { index, delay in
        let share = distribution.share(upTo: delay)
        return max(
          abs(share - Double(index) / Double(sorted.count)),
          abs(share - Double(index + 1) / Double(sorted.count)))
      }.max().map { $0 * Double(sorted.count).squareRoot() } ?? 0
    }
    #expect(distance(outcomes.map(\.answerDelay), scenario.answers.delay) < 1.95)
    #expect(distance(outcomes.compactMap(\.deliveryDelays.first), scenario.deliveries.delay) < 1.95)
    let second = outcomes.compactMap { $0.deliveryDelays.count == 2 ? $0.deliveryDelays[1] : nil }
    #expect(distance(second, scenario.deliveries.delay) < 1.95)
  }

  /// What one number decides says nothing about the next notification's.
  @Test func neighborsAreIndependent() {
    let values = outcomes(Self.scenario).map { Self.scenario.answers.delay.share(upTo: $0.answerDelay) - 0.5 }
    for lag in [1, 2, 7, 64, 1000] {
      let pairs = zip(values, values.dropFirst(lag))
      let correlation = pairs.reduce(0) { $0 + $1.0 * $1.1 } / Double(Self.count - lag) * 12
      #expect(abs(correlation) < 4.5 / Double(Self.count).squareRoot(), "lag \(lag): \(correlation)")
    }
  }

  @Test func changingOneProbabilityMovesNothingElse() {
    var lossless = Self.scenario
    lossless.deliveries.lost = 0
    for (a, b) in zip(outcomes(Self.scenario, count: 2000), outcomes(lossless, count: 2000)) {
      #expect(a.outcome == b.outcome)
      #expect(a.answerDelay == b.answerDelay)
      if !a.isLost { #expect(a.deliveryDelays == b.deliveryDelays) }
    }
  }

  @Test func deliversWhatItIsToldTo() {
    for scripted in outcomes(Self.scenario, count: 3000) {
      switch scripted.outcome {
      case .accepted: #expect(scripted.isLost == scripted.deliveryDelays.isEmpty)
      case .error(let error):
        #expect(error.isDelivered || (scripted.deliveryDelays.isEmpty && !scripted.isLost))
      case .fault: #expect(scripted.deliveryDelays.isEmpty && !scripted.isLost)
      }
    }
    #expect(outcomes(Self.scenario).contains { $0.outcome != .accepted && !$0.deliveryDelays.isEmpty })
  }

  @Test func holdsReorderedOnesBack() {
    var prompt = Self.scenario
    prompt.deliveries.reordered = nil
    for (held, free) in zip(outcomes(Self.scenario, count: 1000), outcomes(prompt, count: 1000))
    where held.isReordered {
      #expect(held.deliveryDelays == free.deliveryDelays.map { $0 + .seconds(1) })
    }
  }

  @Test func episodesChangeWhatTheySay() {
    var scenario = Scenario(deliveries: DeliveryBehavior(lost: 0))
    scenario.episodes = [
      ScenarioEpisode(
        name: "gone", window: ScenarioWindow(from: .seconds(10), length: .seconds(5)),
        answers: scenario.answers, deliveries: DeliveryBehavior(lost: 1))
    ]
    #expect(ScriptedOutcome(index: 0, at: .milliseconds(9999), in: scenario).isLost == false)
    let during = ScriptedOutcome(index: 0, at: .seconds(10), in: scenario)
    #expect(during.isLost)
    #expect(during.episode == "gone")
    #expect(ScriptedOutcome(index: 0, at: .seconds(15), in: scenario).episode == nil)
  }
}
