import Configuration
import Foundation
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// Google's token endpoint for service accounts (RFC 7523): exchanges a signed assertion for an access token.
final class OAuthTokenEndpoint {
  static let path = "/oauth2/token"

  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  /// Audience that Google's libraries write for every endpoint.
  private static let audience = "https://oauth2.googleapis.com/token"
  private static let scopes: Set<String> = [
    "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
  ]
  private static let longestAssertion = 3600.0
  private static let leeway = 60.0

  enum Failure: Equatable {
    case missing, unknown, expired
  }

  private let account: LoopbackCredentials.Account
  private let behavior: TokenBehavior
  private var generator: SeededGenerator
  /// Expiration of issued tokens, Unix seconds.
  private var expirations = BoundedCache<String, Double>(capacity: 1024)
  private var registry: TokenRegistry
  private(set) var issued = 0
  private(set) var refused = 0
  private let origins: ServiceOrigins

  init(
    account: LoopbackCredentials.Account, behavior: TokenBehavior, origins: ServiceOrigins, seed: UInt64
  ) {
    self.origins = origins
    self.account = account
    self.behavior = behavior
    registry = TokenRegistry(revoked: behavior.revoked)
    generator = SeededGenerator(seed: seed, stream: .max - 1)
  }

  /// - Parameter authorization: the request's header.
  func check(_ authorization: String?, _ context: RequestContext) -> Failure? {
    guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return .missing }
    let text = authorization.dropFirst(7).trimmingCharacters(in: .whitespaces)
    guard let expiration = expirations[text] else { return .unknown }
    return expiration <= context.seconds || registry.isRevoked(text, at: context.time) ? .expired : nil
  }

  func exchange(_ request: HTTPRequest, _ context: RequestContext) -> HTTPResponse {
    guard request.method == "POST" else { return refuse("invalid_request", "Use POST.", status: 405) }
    let isUnavailable = generator.unit() < behavior.unavailable
    if isUnavailable { return refuse("temporarily_unavailable", "Try again later.", status: 503) }
    let form = FormText.decode(String(buffer: request.body))
    guard form["grant_type"] == Self.grantType else {
      return refuse("unsupported_grant_type", "Invalid grant_type: \((form["grant_type"] ?? "").prefix(64))")
    }
    guard let assertion = form["assertion"], let token = SignedToken(assertion) else {
      return refuse("invalid_grant", "Bad Request: the assertion is no JWT.")
    }
    if let problem = problem(in: token, context) { return problem }
    return grant(context)
  }

  private func problem(in token: SignedToken, _ context: RequestContext) -> HTTPResponse? {
    let claims = token.claims
    guard claims.iss == account.clientEmail else {
      return refuse("invalid_grant", "Invalid grant: account not found")
    }
    guard token.keyID == nil || token.keyID == account.keyID, token.isSigned(by: account.publicKey) else {
      return refuse("invalid_grant", "Invalid JWT Signature.")
    }
    guard
      claims.audiences.contains(where: { audience in
        audience == Self.audience || origins.all.contains { $0 + Self.path == audience }
      })
    else {
      return refuse("invalid_grant", "Invalid JWT: the audience is not this endpoint.")
    }
    guard let issuedAt = claims.iat, let expiresAt = claims.exp,
      issuedAt <= context.seconds + Self.leeway, expiresAt > context.seconds,
      expiresAt - issuedAt <= Self.longestAssertion
    else {
      return refuse(
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."
      )
    }
    let scopes = (claims.scope ?? "").split(separator: " ").map(String.init)
    guard scopes.contains(where: Self.scopes.contains) else {
      return refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
    }
    return nil
  }

  private func grant(_ context: RequestContext) -> HTTPResponse {
    let text = "ya29.loopback." + LoopbackCredentials.randomText(bytes: 24)
    let seconds = behavior.lifetime.components.seconds
    expirations.insert(context.seconds + Double(seconds), for: text)
    // Registers the token for later revocations.
    _ = registry.isRevoked(text, at: context.time)
    issued += 1
    return HTTPResponse(
      status: 200,
      json: "{\"access_token\":\"\(text)\",\"expires_in\":\(max(1, seconds - 1)),\"token_type\":\"Bearer\"}",
      headers: ["cache-control": "no-store"])
  }

  private func refuse(_ error: String, _ description: String, status: Int = 400) -> HTTPResponse {
    refused += 1
    return HTTPResponse(
      status: status,
      json: "{\"error\":\"\(error)\",\"error_description\":\(JSONText.quoted(description))}",
      headers: ["cache-control": "no-store"])
  }
}
