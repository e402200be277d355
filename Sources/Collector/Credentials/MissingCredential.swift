import Measurement
import Providers

/// A target whose first credential has not come.
struct MissingCredential: Sendable {
  var target: TargetID
  /// Its providers with no credential in them, which nothing is sent by.
  var providers: [any Provider]
  /// For people.
  var reason: String
}
