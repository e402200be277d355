import Configuration
import Measurement
import Providers
import Transport

/// Issues a credential: a signer in this process, or a token endpoint.
protocol CredentialSource: Sendable {
  /// The name as text for people, without a secret: "APNs provider token".
  var name: String { get }
  /// Whether issuing one needs the network.
  var isRemote: Bool { get }

  /// Issues one. May block the renewer's thread.
  func issue(at now: WallTime) -> CredentialOutcome
}

enum CredentialOutcome: Sendable {
  /// - Parameters:
  ///   - value: the secret.
  ///   - lifetime: how long it is valid.
  ///   - took: the time that a remote issuer took, for people; empty for a signer.
  case issued(value: String, lifetime: Duration, took: String)
  /// - Parameter isFinal: whether a retry without a change cannot succeed.
  case failed(String, isFinal: Bool, retryAfter: Duration?)
}

/// A token that is signed in this process.
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

  /// - Parameter origin: the push service's scheme, host and port, for which it is valid.
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

/// An access token in exchange for a service account's assertion (RFC 7523).
struct OAuthCredential: CredentialSource {
  let account: ServiceAccount
  let client: BlockingRequest

  var name: String { "access token of \(account.clientEmail)" }
  var isRemote: Bool { true }

  func issue(at now: WallTime) -> CredentialOutcome {
    let request: PushRequest
    do {
      request = try account.tokenRequest(issuedAt: now)
    } catch {
      return .failed("the service account \(error)", isFinal: true, retryAfter: nil)
    }
    switch client.perform(request) {
    case .failure(let failure):
      return .failed(
        "the token endpoint does not answer: \(failure.message)", isFinal: false, retryAfter: nil)
    case .success(let answer):
      switch OAuthToken.parse(answer.response) {
      case .success(let token):
        return .issued(value: token.value, lifetime: token.lifetime, took: answer.timing)
      case .failure(let refusal):
        return .failed(
          RequestSecrets(of: request).hidden(in: "\(refusal)"), isFinal: refusal.isFinal,
          retryAfter: refusal.retryAfter)
      }
    }
  }
}

/// Equal for targets that can share a credential: the same key, for the same purpose.
enum CredentialIdentity: Sendable, Hashable {
  case apns(APNsSettings.Credentials)
  case fcm(SecretReference)
  case vapid(WebPushSettings.Credentials?, origin: String)
}
