/// What a provider's answer means.
public struct ProviderAssessment: Sendable, Hashable {
  public var verdict: ProviderDecision
  /// How long the provider asks us to send nothing.
  public var retryAfter: Duration?
  /// What the answer says of the credential; `nil` when nothing.
  public var credential: CredentialSignal?
  /// The provider knows no such receiver, or not as ours: its token or subscription is of no use any more.
  public var isReceiverUnknown: Bool

  public init(
    _ verdict: ProviderDecision, retryAfter: Duration? = nil, credential: CredentialSignal? = nil,
    isReceiverUnknown: Bool = false
  ) {
    self.verdict = verdict
    self.retryAfter = retryAfter
    self.credential = credential
    self.isReceiverUnknown = isReceiverUnknown
  }
}

/// Whether the provider took the notification.
public enum ProviderDecision: Sendable, Hashable {
  case accepted
  /// The provider's own word for why not; empty when it gave none.
  case rejected(reason: String)
}
