import Configuration
import Crypto
import Measurement

/// Who may send: verifies provider tokens (Establishing a token-based connection to APNs), remembers on which
/// connection each was used, and takes a client certificate of our own authority in their place.
final class APNsAuthenticator {
  /// What the built-in `loopback` provider sends. It proves nothing, and costs nothing while timing.
  static let openBearer = "loopback"
  /// How far a sender's clock may be ahead.
  private static let leeway = 60.0
  /// Distinct tokens whose signature is not checked again; beyond that the oldest is.
  private static let room = 256

  /// A token whose signature holds.
  private struct VerifiedToken {
    var issuedAt: Double
    var keyID: String
  }

  /// What a connection is bound to.
  private struct Binding {
    var token: String
    var keyID: String
    /// On the monotonic clock: since when this token is the one.
    var since: Duration
    /// A token came too soon after the last one; nothing goes until the interval is over.
    var isBlocked = false
  }

  private let key: P256.Signing.PublicKey
  private let keyID: String
  private let teamID: String
  private let behavior: TokenBehavior
  private var proven: [String: VerifiedToken] = [:]
  private var order: [String] = []
  private var book: TokenRegistry
  private var bindings: [Int: Binding] = [:]

  init(key: P256.Signing.PublicKey, keyID: String, teamID: String, behavior: TokenBehavior) {
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
    self.behavior = behavior
    book = TokenRegistry(revoked: behavior.revoked)
  }

  func closed(connection: Int) { bindings[connection] = nil }

  /// Apple's word for why not; `nil` for a good token.
  func authorize(_ value: String?, hasCertificate: Bool, _ context: RequestContext) -> String? {
    if hasCertificate { return nil }
    guard let value, !value.isEmpty else { return "MissingProviderToken" }
    // In lower case, as Apple writes it and at least one implementation insists on.
    guard value.hasPrefix("bearer "), value.utf8.count > 7 else { return "InvalidProviderToken" }
    let token = String(value.dropFirst(7))
    if token == Self.openBearer { return nil }
    guard let proof = prove(token) else { return "InvalidProviderToken" }
    if let binding = bindings[context.connection], binding.keyID != proof.keyID {
      return "UnrelatedKeyIdInToken"
    }
    guard proof.keyID == keyID else { return "InvalidProviderToken" }
    guard proof.issuedAt <= context.seconds + Self.leeway else { return "InvalidProviderToken" }
    let age = Double(behavior.lifetime.components.seconds)
    if context.seconds - proof.issuedAt > age || book.isRevoked(token, at: context.time) {
      return "ExpiredProviderToken"
    }
    return isTooSoon(token, proof, context) ? "TooManyProviderTokenUpdates" : nil
  }

  private func isTooSoon(_ token: String, _ proof: VerifiedToken, _ context: RequestContext) -> Bool {
    let now = Duration.nanoseconds(context.monotonic.nanoseconds)
    guard var binding = bindings[context.connection] else {
      bindings[context.connection] = Binding(token: token, keyID: proof.keyID, since: now)
      return false
    }
    let isWithin = now - binding.since < behavior.leastInterval
    if binding.token == token, !(binding.isBlocked && isWithin) {
      binding.isBlocked = false
    } else if isWithin {
      binding.isBlocked = true
    } else {
      binding = Binding(token: token, keyID: proof.keyID, since: now)
    }
    bindings[context.connection] = binding
    return binding.isBlocked
  }

  /// Checks form, key, team and signature; each token once.
  private func prove(_ token: String) -> VerifiedToken? {
    if let known = proven[token] { return known }
    guard let parsed = SignedToken(token), let id = parsed.keyID, let issuedAt = parsed.claims.iat,
      parsed.claims.iss == teamID, parsed.isSigned(by: key)
    else { return nil }
    if order.count >= Self.room { proven[order.removeFirst()] = nil }
    let proof = VerifiedToken(issuedAt: issuedAt, keyID: id)
    proven[token] = proof
    order.append(token)
    return proof
  }
}
