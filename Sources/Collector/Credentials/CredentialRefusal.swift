import Measurement

/// An answer that said that a target's credential is not taken.
struct CredentialRefusal: Sendable, Equatable {
  var target: TargetID
  /// Which of the target's credentials.
  var serial: Int
  var status: Int
  /// The provider's own word, or nothing.
  var reason: String

  /// For people: `401 UNAUTHENTICATED`.
  var words: String { reason.isEmpty ? "\(status)" : "\(status) \(reason)" }
}
