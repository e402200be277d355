/// A stretch of time in which the service behaves differently.
public struct ScenarioEpisode: Sendable, Hashable {
  /// For people; in the script.
  public var name: String
  public var window: ScenarioWindow
  public var answers: AnswerBehavior
  public var deliveries: DeliveryBehavior
  /// What a dialect does differently while it lasts.
  public var dialects: [ScenarioDialect: ScenarioBehavior]
  /// SETTINGS_MAX_CONCURRENT_STREAMS while it lasts, told to all trusted connections when it begins and ends.
  public var streamLimit: Int?

  public init(
    name: String, window: ScenarioWindow, answers: AnswerBehavior, deliveries: DeliveryBehavior,
    dialects: [ScenarioDialect: ScenarioBehavior] = [:], streamLimit: Int? = nil
  ) {
    self.name = name
    self.window = window
    self.answers = answers
    self.deliveries = deliveries
    self.dialects = dialects
    self.streamLimit = streamLimit
  }
}
