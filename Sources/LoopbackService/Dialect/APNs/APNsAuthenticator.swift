import Configuration
import Cryptography
import Measurement

/// Verifies provider tokens (Apple: Establishing a token-based connection to APNs) and their use on each connection, or
/// accepts a client certificate of the service's authority instead.
final class APNsAuthenticator {
  /// Token of the built-in `loopback` provider, accepted without verification.
  static let openBearer = "loopback"
  /// Tolerance for a sender's clock that is ahead, in seconds.
  private static let leeway = 60.0

  /// A token with a valid signature.
  private struct VerifiedToken {
    var issuedAt: Double
    var keyID: String
    /// Time of its first use on any connection, on the monotonic clock.
    var firstUse: Duration
  }

  /// Token and key of a connection.
  private struct Binding {
    var token: String
    var keyID: String
    /// Time of the token's first use on any connection, on the monotonic clock.
    var since: Duration
    /// A new token arrived before the minimum interval: requests are refused until it has passed.
    var isBlocked = false
  }

  private let key: P256.PublicKey
  private let keyID: String
  private let teamID: String
  private let behavior: TokenBehavior
  private var verifiedTokens = BoundedCache<String, VerifiedToken>(capacity: 256)
  private var registry: TokenRegistry
  private var bindings: [Int: Binding] = [:]

  init(key: P256.PublicKey, keyID: String, teamID: String, behavior: TokenBehavior) {
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
    self.behavior = behavior
    registry = TokenRegistry(revoked: behavior.revoked)
  }

  func closed(connection: Int) { bindings[connection] = nil }

  /// The reason of a refusal; `nil` for a valid token.
  func authorize(_ value: String?, hasCertificate: Bool, _ context: RequestContext) -> String? {
    if hasCertificate { return nil }
    guard let value, !value.isEmpty else { return "MissingProviderToken" }
    // Lower case, as in Apple's documentation.
    guard value.hasPrefix("bearer "), value.utf8.count > 7 else { return "InvalidProviderToken" }
    let token = String(value.dropFirst(7))
    if token == Self.openBearer { return nil }
    guard let verified = verify(token, context) else { return "InvalidProviderToken" }
    if let binding = bindings[context.connection], binding.keyID != verified.keyID {
      return "UnrelatedKeyIdInToken"
    }
    guard verified.keyID == keyID else { return "InvalidProviderToken" }
    guard verified.issuedAt <= context.seconds + Self.leeway else { return "InvalidProviderToken" }
    let age = Double(behavior.lifetime.components.seconds)
    if context.seconds - verified.issuedAt > age || registry.isRevoked(token, at: context.time) {
      return "ExpiredProviderToken"
    }
    return isTooSoon(token, verified, context) ? "TooManyProviderTokenUpdates" : nil
  }

  private func isTooSoon(_ token: String, _ verified: VerifiedToken, _ context: RequestContext) -> Bool {
    let now = Duration.nanoseconds(context.monotonic.nanoseconds)
    guard var binding = bindings[context.connection] else {
      bindings[context.connection] = Binding(token: token, keyID: verified.keyID, since: verified.firstUse)
      return false
    }
    let isWithin = now - binding.since < behavior.leastInterval
    if binding.token == token, !(binding.isBlocked && isWithin) {
      binding.isBlocked = false
    } else if isWithin {
      binding.isBlocked = true
    } else {
      binding = Binding(token: token, keyID: verified.keyID, since: verified.firstUse)
    }
    bindings[context.connection] = binding
    return binding.isBlocked
  }

  /// Checks form, key, team and signature, once for each token.
  private func verify(_ token: String, _ context: RequestContext) -> VerifiedToken? {
    if let known = verifiedTokens[token] { return known }
    guard let parsed = SignedToken(token), let id = parsed.keyID, let issuedAt = parsed.claims.iat,
      parsed.claims.iss == teamID, parsed.isSigned(by: key)
    else { return nil }
    let verified = VerifiedToken(
      issuedAt: issuedAt, keyID: id, firstUse: .nanoseconds(context.monotonic.nanoseconds))
    verifiedTokens.insert(verified, for: token)
    return verified
  }
}
