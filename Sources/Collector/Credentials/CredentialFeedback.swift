import Providers

/// What an answer told of the credential that its request showed, where one is kept fresh and this was not known yet.
public struct CredentialFeedback: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// It is not taken: nothing more is sent until there is another one, or this one is tried again.
    case refused(CredentialSignal)
    /// The first answer after a refusal that was none.
    case taken
  }

  public var kind: Kind
  /// Which of the target's credentials it was: the number that came with its providers.
  public var serial: Int

  public init(_ kind: Kind, serial: Int) {
    self.kind = kind
    self.serial = serial
  }
}
