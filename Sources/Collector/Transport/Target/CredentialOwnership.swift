/// Who keeps the credential that a target's providers hold.
public enum CredentialOwnership: Sendable, Hashable {
  /// Nobody: it stays what it is during a run. When it is refused there is silence, and then one notification tries it again
  /// (``CredentialCircuitBreaker``).
  case fixed
  /// When it is refused, nothing is sent until there is another one (``TimingThread/replaceProviders(_:of:serial:)``) or it
  /// is to be tried again (``TimingThread/tryCredentialAgain(of:)``).
  case kept
  /// The same, and the first one has yet to come: nothing is sent before.
  case awaited
}
