import Configuration
import Cryptography
import Foundation
import Measurement

/// Verifies VAPID tokens (RFC 8292) for subscriptions that are restricted to one key.
final class VAPIDAuthenticator {
  private let applicationKey: P256.PublicKey
  private var verifiedTokens = BoundedCache<String, SignedToken.Claims>(capacity: 256)
  private var registry: TokenRegistry
  private let origins: ServiceOrigins

  init(applicationKey: P256.PublicKey, behavior: TokenBehavior, origins: ServiceOrigins) {
    self.applicationKey = applicationKey
    self.origins = origins
    registry = TokenRegistry(revoked: behavior.revoked)
  }

  /// A reason of ``ErrorCatalog/webPush`` and a message; `nil` for a valid token.
  /// - Parameter restriction: the key that the subscription is restricted to; `nil`: the loopback service's application server's.
  func problem(
    _ authorization: String?, of restriction: P256.PublicKey? = nil, style: WebPushErrorStyle,
    _ context: RequestContext
  ) -> (reason: String, message: String)? {
    guard let authorization, !authorization.isEmpty else {
      return ("MissingVapid", "Missing Authorization: the subscription is restricted to one sender.")
    }
    guard let (token, key) = Self.parameters(authorization) else {
      return ("BadJwtToken", "Authorization is not `vapid t=<token>, k=<key>`.")
    }
    guard let point = Base64URLText.decode(key), point.count == 65,
      let publicKey = try? P256.PublicKey(x963Representation: Array(point))
    else { return ("BadVapidPublicKey", "k is no uncompressed point of P-256 in base64url.") }
    guard publicKey == restriction ?? applicationKey else {
      return ("VapidPkHashMismatch", "k is not the key that the subscription was made for.")
    }
    guard let claims = verify(token, publicKey) else {
      return ("BadJwtToken", "t is no JWT that k has signed with ES256.")
    }
    guard claims.audiences.contains(where: origins.all.contains) else {
      return ("BadJwtToken", "aud is not the endpoint's origin.")
    }
    guard let expiresAt = claims.exp else { return ("BadJwtToken", "exp is missing.") }
    guard expiresAt > context.seconds else { return ("ExpiredJwtToken", "exp is over.") }
    guard expiresAt - context.seconds <= Double(WebPushDialect.longestTokenLifetime.components.seconds) else {
      return ("BadJwtToken", "exp is more than a day ahead.")
    }
    guard Self.isSubject(claims.sub, style) else {
      return ("BadJwtToken", "sub is neither a mailto: nor an https: URI that anybody could reach.")
    }
    if registry.isRevoked(token, at: context.time) { return ("ExpiredJwtToken", "The token was revoked.") }
    return nil
  }

  /// `vapid t=…, k=…`, in either order (RFC 8292, section 3).
  private static func parameters(_ text: String) -> (token: String, key: String)? {
    guard text.utf8.count <= 16 * 1024, text.lowercased().hasPrefix("vapid ") else { return nil }
    var fields: [String: String] = [:]
    for part in text.dropFirst(6).split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { return nil }
      fields[pair[0].trimmingCharacters(in: .whitespaces).lowercased()] =
        pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
    guard let token = fields["t"], let key = fields["k"] else { return nil }
    return (token, key)
  }

  private static func isSubject(_ sub: String?, _ style: WebPushErrorStyle) -> Bool {
    guard let sub else { return style != .apple }
    guard sub.hasPrefix("mailto:") || sub.hasPrefix("https:") else { return false }
    return style != .apple || WebPushDialect.isSubjectForApple(sub)
  }

  private func verify(_ token: String, _ key: P256.PublicKey) -> SignedToken.Claims? {
    if let known = verifiedTokens[token] { return known }
    guard let parsed = SignedToken(token), parsed.isSigned(by: key) else { return nil }
    verifiedTokens.insert(parsed.claims, for: token)
    return parsed.claims
  }
}
