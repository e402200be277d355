import Measurement
import Providers

/// What the targets of a run begin with.
struct Readiness: Sendable {
  /// The providers of targets with credentials, with or without them.
  var providers: [TargetID: [any Provider]]
  /// Targets whose first credential is still waited for.
  var awaited: Set<TargetID>
  /// Targets that lack something which could not be reached, and what.
  var unreached: [TargetID: String]

  init(credentials: InitialCredentials) {
    providers = credentials.providers
    for missing in credentials.missing { providers[missing.target] = missing.providers }
    awaited = Set(credentials.missing.map(\.target))
    unreached = Dictionary(
      credentials.missing.map { ($0.target, $0.reason) }, uniquingKeysWith: { first, _ in first })
  }

  func credential(of target: TargetID) -> CredentialOwnership {
    providers[target] == nil ? .fixed : awaited.contains(target) ? .awaited : .kept
  }
}
