import Measurement
import Providers

/// A credential that is signed with a key in this process.
struct SignedCredential: CredentialSource {
  let name: String
  let lifetime: Duration
  let sign: @Sendable (WallTime) throws -> String

  var isRemote: Bool { false }

  static func apns(_ signer: APNsTokenSigner) -> SignedCredential {
    SignedCredential(name: "APNs provider token", lifetime: APNsDialect.tokenLifetime) {
      try signer.token(issuedAt: $0)
    }
  }

  /// - Parameter origin: whom it is for: the push service's scheme, host and port.
  static func vapid(_ signer: VAPIDSigner, origin: String) -> SignedCredential {
    SignedCredential(name: "VAPID token for \(origin)", lifetime: VAPIDSigner.tokenLifetime) {
      try signer.authorization(for: origin, issuedAt: $0)
    }
  }

  func issue(at now: WallTime) -> CredentialOutcome {
    do {
      return .issued(value: try sign(now), lifetime: lifetime, took: "")
    } catch {
      return .failed("the key \(error)", isFinal: true, retryAfter: nil)
    }
  }
}
