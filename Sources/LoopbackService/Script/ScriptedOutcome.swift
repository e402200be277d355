import Configuration
import Measurement

/// Outcome of one valid request, drawn from the scenario.
struct ScriptedOutcome: Equatable {
  enum Outcome: Equatable {
    case accepted
    case error(ErrorAnswer)
    case fault(AnswerFault)
  }

  var outcome: Outcome
  /// Time from arrival, or the end of the freeze that contains it, to the response.
  var answerDelay: Duration
  /// Times from the same instant to the device: none, one, or two for a duplicate.
  var deliveryDelays: [Duration]
  /// Accepted and never delivered.
  var isLost: Bool
  var isReordered: Bool
  /// Time from each delivery to its display; `nil` where it is not reported, or not shown.
  var shownAfter: Duration?
  /// The circumstances that the device reports.
  var context: DeviceContext?
  /// When the device sleeps.
  var asleep: DeliveryBehavior.Sleep?
  /// Names of the active episodes.
  var episode: String?

  /// - Parameters:
  ///   - index: which well-formed request of its dialect it is, from 0.
  ///   - device: for which device, by its name.
  ///   - time: since the first request.
  init(
    index: Int, of dialect: ScenarioDialect = .apns, to device: String? = nil, at time: Duration,
    in scenario: Scenario
  ) {
    let behavior = scenario.behavior(of: dialect, to: device, at: time)
    let (answers, deliveries) = (behavior.answers, behavior.deliveries)
    let names = scenario.activeEpisodes(at: time).map(\.name)
    episode = names.isEmpty ? nil : names.joined(separator: " + ")
    asleep = deliveries.asleep
    // All numbers are drawn for every request in this order, so that one probability does not affect other draws.
    var generator = SeededGenerator(seed: scenario.seed, stream: UInt64(index) | dialect.streams)
    outcome = Self.outcome(answers, at: generator.unit())
    let lost = generator.unit() < deliveries.lost
    let isDuplicated = generator.unit() < deliveries.duplicated
    let late = generator.unit()
    answerDelay = answers.delay.sample(using: &generator)
    // A late GOAWAY for an unprocessed request would be indistinguishable from an early one.
    if case .fault(let fault) = outcome, fault.kind == .goawayUnprocessed { answerDelay = .zero }
    let first = deliveries.delay.sample(using: &generator)
    let second = deliveries.delay.sample(using: &generator)
    let isSent =
      switch outcome {
      case .accepted: true
      case .error(let error): error.isDelivered
      case .fault(let fault): fault.isDelivered
      }
    let displayDelay = deliveries.shown?.sample(using: &generator)
    let isUnseen = generator.unit() < deliveries.unseen
    shownAfter = isUnseen ? nil : displayDelay
    context = deliveries.context.isEmpty && deliveries.shown == nil ? nil : deliveries.context
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
}

extension ScenarioDialect {
  /// First stream of the dialect's random numbers.
  fileprivate var streams: UInt64 {
    switch self {
    case .apns: 0
    case .fcm: 1 << 56
    case .webpush: 2 << 56
    case .ntfy: 3 << 56
    }
  }
}
