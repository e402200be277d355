/// Whether a target's providers hold a credential that somebody keeps fresh.
public enum CredentialCare: Sendable, Hashable {
  /// They hold none that grows old.
  case none
  /// When it is refused, nothing is sent until there is another one (``TimingThread/replaceProviders(_:of:serial:)``) or it
  /// is to be tried again (``TimingThread/tryCredentialAgain(of:)``).
  case kept
  /// The same, and the first one has yet to come: nothing is sent before.
  case awaited
}
