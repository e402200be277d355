import Configuration
import Crypto
import Foundation

/// Verifies who sends to a subscription that was made for one application server's key (RFC 8292).
final class VAPIDAuthenticator {
  /// Seconds that a token may be good for.
  private static let longestLife = 86_400.0
  /// Tokens whose signature is not checked again; beyond that the oldest is.
  private static let room = 256

  private let applicationKey: P256.Signing.PublicKey
  private var proven: [String: SignedToken.Claims] = [:]
  private var order: [String] = []
  private var book: TokenRegistry
  /// Scheme, host and port of the endpoints, by all names of this host.
  var origins: [String] = []

  init(applicationKey: P256.Signing.PublicKey, behavior: TokenBehavior) {
    self.applicationKey = applicationKey
    book = TokenRegistry(revoked: behavior.revoked)
  }

  /// One of ``ErrorCatalog/webPush``'s words and why; `nil` when all is right.
  func problem(
    _ authorization: String?, wording: WebPushErrorStyle, _ context: RequestContext
  ) -> (word: String, message: String)? {
    guard let authorization, !authorization.isEmpty else {
      return ("MissingVapid", "Missing Authorization: the subscription is restricted to one sender.")
    }
    guard let (token, key) = Self.parameters(authorization) else {
      return ("BadJwtToken", "Authorization is not `vapid t=<token>, k=<key>`.")
    }
    guard let point = Base64URLText.decode(key), point.count == 65,
      let publicKey = try? P256.Signing.PublicKey(x963Representation: point)
    else { return ("BadVapidPublicKey", "k is no uncompressed point of P-256 in base64url.") }
    guard point == applicationKey.x963Representation else {
      return ("VapidPkHashMismatch", "k is not the key that the subscription was made for.")
    }
    guard let claims = prove(token, publicKey) else {
      return ("BadJwtToken", "t is no JWT that k has signed with ES256.")
    }
    guard claims.audiences.contains(where: origins.contains) else {
      return ("BadJwtToken", "aud is not the endpoint's origin.")
    }
    guard let expiresAt = claims.exp else { return ("BadJwtToken", "exp is missing.") }
    guard expiresAt > context.seconds else { return ("ExpiredJwtToken", "exp is over.") }
    guard expiresAt - context.seconds <= Self.longestLife else {
      return ("BadJwtToken", "exp is more than a day ahead.")
    }
    guard Self.isSubject(claims.sub, wording) else {
      return ("BadJwtToken", "sub is neither a mailto: nor an https: URI that anybody could reach.")
    }
    if book.isRevoked(token, at: context.time) { return ("ExpiredJwtToken", "The token was revoked.") }
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

  private static func isSubject(_ sub: String?, _ wording: WebPushErrorStyle) -> Bool {
    guard let sub else { return wording != .apple }
    guard sub.hasPrefix("mailto:") || sub.hasPrefix("https:") else { return false }
    guard wording == .apple else { return true }
    let host = sub.split(separator: "@").last.map(String.init) ?? sub
    return !sub.contains { " <>".contains($0) } && !host.contains("localhost") && !host.hasSuffix(".local")
  }

  private func prove(_ token: String, _ key: P256.Signing.PublicKey) -> SignedToken.Claims? {
    if let known = proven[token] { return known }
    guard let parsed = SignedToken(token), parsed.isSigned(by: key) else { return nil }
    if order.count >= Self.room { proven[order.removeFirst()] = nil }
    proven[token] = parsed.claims
    order.append(token)
    return parsed.claims
  }
}
