/// How the service answers what is well-formed.
public struct AnswerBehavior: Sendable, Hashable {
  /// From the complete request to the answer.
  public var delay: DelayDistribution
  /// Tried in this order, together with `faults`; probabilities add up to at most 1.
  public var errors: [ErrorAnswer]
  public var faults: [AnswerFault]

  public init(delay: DelayDistribution = .none, errors: [ErrorAnswer] = [], faults: [AnswerFault] = []) {
    self.delay = delay
    self.errors = errors
    self.faults = faults
  }
}
