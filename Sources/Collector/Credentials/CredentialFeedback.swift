import Measurement

/// What an answer says of a credential that is renewed during a run, where that was not known yet: the way back from the
/// timing thread to ``CredentialRenewer``.
public struct CredentialFeedback: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    /// The provider refused it. Nothing is sent to the target until it gets another one, or is told to try this one again.
    /// The reason is the provider's own, or empty.
    case refused(status: Int, reason: String)
    /// The provider accepted it after a refusal.
    case accepted
  }

  public var target: TargetID
  /// Which of the target's credentials it was: the number that came with its providers.
  public var serial: Int
  public var outcome: Outcome

  public init(target: TargetID, serial: Int, outcome: Outcome) {
    self.target = target
    self.serial = serial
    self.outcome = outcome
  }
}
