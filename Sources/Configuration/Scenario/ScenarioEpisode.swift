/// A stretch of time in which the service behaves differently.
public struct ScenarioEpisode: Sendable, Hashable {
  /// For people; in the script.
  public var name: String
  public var window: ScenarioWindow
  public var answers: AnswerBehaviour
  public var deliveries: DeliveryBehaviour

  public init(
    name: String, window: ScenarioWindow, answers: AnswerBehaviour, deliveries: DeliveryBehaviour
  ) {
    self.name = name
    self.window = window
    self.answers = answers
    self.deliveries = deliveries
  }
}
