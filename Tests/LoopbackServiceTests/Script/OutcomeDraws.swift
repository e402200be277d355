import Configuration

@testable import LoopbackService

/// Many outcomes of one scenario, to be held against a behavior.
struct OutcomeDraws {
  let outcomes: [ScriptedOutcome]

  init(of dialect: ScenarioDialect = .apns, at time: Duration = .zero, in scenario: Scenario, count: Int) {
    outcomes = (0..<count).map { ScriptedOutcome(index: $0, of: dialect, at: time, in: scenario) }
  }

  /// Whether about `share` of `count` is what `count` draws of that probability may be: 4.5 standard deviations.
  static func isLikely(_ found: Int, share: Double, of count: Int) -> Bool {
    let (mean, n) = (Double(count) * share, Double(count))
    return abs(Double(found) - mean) <= 4.5 * (n * share * (1 - share)).squareRoot()
  }

  /// What is not as `behavior` has it.
  func problems(with behavior: ScenarioBehavior) -> [String] {
    var problems: [String] = []
    func expect(
      _ share: Double, of outcomes: [ScriptedOutcome], _ what: String, _ holds: (ScriptedOutcome) -> Bool
    ) {
      let found = outcomes.count(where: holds)
      guard !Self.isLikely(found, share: share, of: outcomes.count) else { return }
      problems.append("\(what): \(found) of \(outcomes.count), and the share should be \(share)")
    }
    let (answers, deliveries) = (behavior.answers, behavior.deliveries)
    var accepted = 1.0
    for error in answers.errors {
      accepted -= error.probability
      expect(error.probability, of: outcomes, error.reason) { $0.outcome == .error(error) }
    }
    for fault in answers.faults {
      accepted -= fault.probability
      expect(fault.probability, of: outcomes, "\(fault.kind)") { $0.outcome == .fault(fault) }
    }
    expect(max(0, accepted), of: outcomes, "accepted") { $0.outcome == .accepted }

    let sent = outcomes.filter { $0.isLost || !$0.deliveryDelays.isEmpty }
    let arrived = sent.filter { !$0.isLost }
    expect(deliveries.lost, of: sent, "lost") { $0.isLost }
    expect(deliveries.duplicated, of: arrived, "duplicated") { $0.deliveryDelays.count == 2 }
    expect(deliveries.reordered?.probability ?? 0, of: arrived, "reordered") { $0.isReordered }
    let isDelivered = outcomes.allSatisfy { scripted in
      let isSent =
        switch scripted.outcome {
        case .accepted: true
        case .error(let error): error.isDelivered
        case .fault(let fault): fault.isDelivered
        }
      return isSent == (scripted.isLost || !scripted.deliveryDelays.isEmpty)
    }
    if !isDelivered { problems.append("what is delivered is not what should be") }

    let answered = outcomes.filter { scripted in
      if case .fault(let fault) = scripted.outcome { fault.kind != .goawayUnprocessed } else { true }
    }
    let held = deliveries.reordered?.by ?? .zero
    let ways = arrived.flatMap { scripted in
      scripted.deliveryDelays.map { scripted.isReordered ? $0 - held : $0 }
    }
    for (what, delays, distribution) in [
      ("answers", answered.map(\.answerDelay), answers.delay), ("deliveries", ways, deliveries.delay),
    ] where !Self.follow(delays, distribution) {
      problems.append("the delays of \(what) are not distributed as \(distribution)")
    }
    return problems
  }

  private static func follow(_ delays: [Duration], _ distribution: DelayDistribution) -> Bool {
    if case .constant(let value) = distribution.shape { return delays.allSatisfy { $0 == value } }
    let n = Double(delays.count)
    let distance = delays.sorted().enumerated().map { index, delay in
      let share = distribution.share(upTo: delay)
      return max(abs(share - Double(index) / n), abs(share - Double(index + 1) / n))
    }.max()
    // A right one is farther away in one of eight thousand cases.
    return (distance ?? 0) * n.squareRoot() < 2.2
  }
}
