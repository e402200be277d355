import Configuration

/// What the scenario has in store for one well-formed request.
struct ScriptedOutcome: Equatable {
  enum Outcome: Equatable {
    case accepted
    case error(ErrorAnswer)
    case fault(AnswerFault)
  }

  var outcome: Outcome
  /// From arrival (or the end of the freeze it fell into) to the answer.
  var answerDelay: Duration
  /// From the same instant to the device: none, one, or two when it is duplicated.
  var deliveryDelays: [Duration]
  /// On its way and never seen again.
  var isLost: Bool
  var isReordered: Bool
  var episode: String?

  /// - Parameters:
  ///   - index: which well-formed request of its dialect it is, from 0.
  ///   - time: since the first request.
  init(index: Int, of dialect: ScenarioDialect = .apns, at time: Duration, in scenario: Scenario) {
    let behavior = scenario.behavior(of: dialect, at: time)
    let (answers, deliveries) = (behavior.answers, behavior.deliveries)
    episode = scenario.episode(at: time)?.name
    // All numbers are drawn for every request, in this order: changing one probability moves nothing else.
    var generator = SeededGenerator(seed: scenario.seed, stream: UInt64(index) | dialect.streams)
    outcome = Self.outcome(answers, at: Self.uniform(&generator))
    let lost = Self.uniform(&generator) < deliveries.lost
    let isDuplicated = Self.uniform(&generator) < deliveries.duplicated
    let late = Self.uniform(&generator)
    answerDelay = answers.delay.sample(using: &generator)
    // Nobody can tell a late one from an early one by what it leaves undone.
    if case .fault(let fault) = outcome, fault.kind == .goawayUnprocessed { answerDelay = .zero }
    let first = deliveries.delay.sample(using: &generator)
    let second = deliveries.delay.sample(using: &generator)
    let isSent =
      switch outcome {
      case .accepted: true
      case .error(let error): error.isDelivered
      case .fault(let fault): fault.isDelivered
      }
    isLost = isSent && lost
    isReordered = false
    deliveryDelays = []
    guard isSent, !lost else { return }
    deliveryDelays = isDuplicated ? [first, second] : [first]
    if let reordered = deliveries.reordered, late < reordered.probability {
      isReordered = true
      deliveryDelays = deliveryDelays.map { $0 + reordered.by }
    }
  }

  private static func outcome(_ answers: AnswerBehavior, at position: Double) -> Outcome {
    var rest = position
    for error in answers.errors {
      if rest < error.probability { return .error(error) }
      rest -= error.probability
    }
    for fault in answers.faults {
      if rest < fault.probability { return .fault(fault) }
      rest -= fault.probability
    }
    return .accepted
  }

  private static func uniform(_ generator: inout SeededGenerator) -> Double {
    Double(generator.next() >> 11) * 0x1p-53
  }
}

extension ScenarioDialect {
  /// Keeps the random numbers of one dialect apart from another's.
  fileprivate var streams: UInt64 {
    switch self {
    case .apns: 0
    case .fcm: 1 << 56
    case .webpush: 2 << 56
    case .ntfy: 3 << 56
    }
  }
}
