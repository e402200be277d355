/// What an answer says of the credential it was asked with.
public enum CredentialSignal: Sendable, Hashable {
  /// It was right once: a new token made of the same key is likely taken.
  case expired
  /// It, or the key behind it, is not taken.
  case refused
  /// The same connection was shown too many new tokens; another new one makes it worse.
  case renewedTooOften
}
