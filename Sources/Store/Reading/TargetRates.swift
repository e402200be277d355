import Measurement

/// How often a target's notifications were to be sent, and how often they were.
public struct TargetRates: Sendable, Equatable {
  public var target: TargetID
  /// What the configuration asked for, per second.
  public var asked: Double
  /// How long the schedule has run so far: from the first planned instant to one interval after the last one that has
  /// come, by the pace between them; `nil` while none has come.
  public var span: Duration?
  /// Notifications whose planned instant has come, those of them that were sent, and those that were missed.
  public var due: Int
  public var sent: Int
  public var missed: Int

  public init(target: TargetID, asked: Double, span: Duration?, due: Int, sent: Int, missed: Int) {
    self.target = target
    self.asked = asked
    self.span = span
    self.due = due
    self.sent = sent
    self.missed = missed
  }

  /// Sent per second; `nil` while nothing was due.
  public var achieved: Double? { perSecond(sent) }

  /// Missed per second.
  public var missedRate: Double? { perSecond(missed) }

  private func perSecond(_ count: Int) -> Double? {
    guard let span, span > .zero else { return nil }
    return Double(count) / (Double(span.nanoseconds) * 1e-9)
  }
}
