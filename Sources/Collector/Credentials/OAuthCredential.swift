import Measurement
import Providers

/// An access token that a service account's assertion is exchanged for (RFC 7523).
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
