import Configuration
import Measurement

/// A request and what was decided about it.
public struct ScriptedRequest: Sendable, Equatable {
  public enum Answer: Sendable, Equatable {
    case accepted
    case refused(status: Int, reason: String)
    case fault(AnswerFault.Kind)
  }

  public var dialect = ScenarioDialect.apns
  /// Which of the dialect's well-formed requests it was, from 0; `nil` when it broke the rules.
  public var index: Int?
  /// The `apns-id`; elsewhere the payload's own id, or the service's where the payload has none.
  public var id: String
  public var connection: Int
  public var arrivedAt: MonotonicTime
  /// The same since the first request: what episodes and freezes go by.
  public var at: Duration
  public var answer: Answer
  /// From `at` to the answer, freezes included.
  public var answerAfter: Duration
  /// From `at` to the device, freezes included.
  public var deliveries: [Duration]
  public var isLost: Bool
  public var isReordered: Bool
  public var episode: String?
}
