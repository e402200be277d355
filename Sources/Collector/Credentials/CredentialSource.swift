import Measurement

/// Where a credential comes from: a signer in this process, or a token endpoint.
protocol CredentialSource: Sendable {
  /// For people: "APNs token of key ABC123". No secret.
  var name: String { get }
  /// Whether making one takes the network, and so perhaps long.
  var isRemote: Bool { get }

  /// Makes one. May block; the keeper's thread is there for it.
  func issue(at now: WallTime) -> CredentialOutcome
}

enum CredentialOutcome: Sendable {
  /// - Parameters:
  ///   - value: the secret.
  ///   - lifetime: how long it will be taken.
  ///   - took: what a remote issuer needed, and in which parts; empty for none.
  case issued(value: String, lifetime: Duration, took: String)
  /// - Parameter isFinal: whether trying again without changing something is in vain.
  case failed(String, isFinal: Bool, retryAfter: Duration?)
}
