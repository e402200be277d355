/// How requests are answered and what becomes of what was accepted.
public struct ScenarioBehavior: Sendable, Hashable {
  public var answers: AnswerBehavior
  public var deliveries: DeliveryBehavior

  public init(
    answers: AnswerBehavior = AnswerBehavior(), deliveries: DeliveryBehavior = DeliveryBehavior()
  ) {
    self.answers = answers
    self.deliveries = deliveries
  }
}
