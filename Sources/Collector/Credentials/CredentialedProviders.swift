import Providers

/// A target's providers with a credential in them.
struct CredentialedProviders: Sendable {
  var providers: [any Provider]
  /// Counts the target's credentials from 1; `nil` when it is still the same one.
  var serial: Int?
}
