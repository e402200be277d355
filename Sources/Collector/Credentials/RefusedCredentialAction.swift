import Measurement

/// What is done about a credential that was refused. Nothing is sent with it until then.
enum RefusedCredentialAction: Sendable, Equatable {
  /// A new one, at once.
  case renew
  /// Silence; then a new one if it may be made by then, else the same one is tried again.
  case pause(until: MonotonicTime)
}
