import Measurement
import Providers

/// What targets with credentials begin with.
struct InitialCredentials: Sendable {
  /// The providers of those that have one.
  var providers: [TargetID: [any Provider]] = [:]
  /// Those whose issuer could not be reached in time; it is asked on and on, and may have answered since.
  var missing: [MissingCredential] = []
}
