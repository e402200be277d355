/// How requests are answered and what becomes of what was accepted.
public struct ScenarioBehaviour: Sendable, Hashable {
  public var answers: AnswerBehaviour
  public var deliveries: DeliveryBehaviour

  public init(
    answers: AnswerBehaviour = AnswerBehaviour(), deliveries: DeliveryBehaviour = DeliveryBehaviour()
  ) {
    self.answers = answers
    self.deliveries = deliveries
  }
}
