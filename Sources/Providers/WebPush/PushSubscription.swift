import Cryptography
import FoundationEssentials
import Measurement

/// A push subscription of a browser or app: endpoint and encryption keys (Push API's `toJSON()`).
///
/// The endpoint is a secret, since it authorizes to send.
public struct PushSubscription: Sendable, CustomStringConvertible {
  /// Absolute URL.
  public var endpoint: String
  /// Expiration time; most subscriptions have none.
  public let expiration: WallTime?
  let publicKey: P256.PublicKey
  /// 16 bytes.
  let secret: [UInt8]

  private static let remedy =
    "put in the JSON of PushSubscription.toJSON(), as the browser gave it: endpoint, keys.p256dh, keys.auth"

  /// A subscription of our own.
  init(endpoint: String, publicKey: P256.PublicKey, secret: [UInt8]) {
    self.endpoint = endpoint
    self.publicKey = publicKey
    self.secret = secret
    expiration = nil
  }

  /// A subscription that nobody has: for requests that are made for a check and not sent.
  public static func placeholder(at origin: String) -> PushSubscription {
    let receiver = WebPushReceiver.random()
    return PushSubscription(
      endpoint: origin + "/", publicKey: receiver.privateKey.publicKey, secret: receiver.secret)
  }

  private struct File: Decodable {
    struct Keys: Decodable {
      var p256dh: String?
      var auth: String?
    }
    var endpoint: String?
    var expirationTime: Double?
    var keys: Keys?
  }

  /// - Parameter json: result of `JSON.stringify(subscription)`.
  public init(json: [UInt8]) throws(CredentialError) {
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(KeyText.json(json)))
    } catch DecodingError.typeMismatch(_, let context) {
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw CredentialError(
        .malformed, key.isEmpty ? "is JSON, but not an object" : "has a \"\(key)\" of the wrong type",
        remedy: Self.remedy)
    } catch {
      let isCut = json.last.map { $0 != 0x7D } ?? true
      throw CredentialError(
        isCut ? .truncated : .malformed, "is not JSON\(isCut ? ": it does not end with a brace" : "")",
        remedy: Self.remedy)
    }
    guard let endpoint = file.endpoint, let p256dh = file.keys?.p256dh, let auth = file.keys?.auth else {
      let missing =
        file.endpoint == nil ? "endpoint" : file.keys?.p256dh == nil ? "keys.p256dh" : "keys.auth"
      throw CredentialError(.incomplete, "has no \"\(missing)\"", remedy: Self.remedy)
    }
    guard Self.origin(of: endpoint) != nil, endpoint.utf8.count <= 4096,
      endpoint.utf8.allSatisfy(ASCII.isVisible)
    else {
      throw CredentialError(.invalid, "has an \"endpoint\" that is not an https URL", remedy: Self.remedy)
    }
    guard let point = Base64Text.decode(p256dh), point.count == 65,
      let key = try? P256.PublicKey(x963Representation: point)
    else {
      throw CredentialError(
        .invalid, "has a \"keys.p256dh\" that is not a point on the curve P-256", remedy: Self.remedy)
    }
    guard let secret = Base64Text.decode(auth), secret.count == 16 else {
      throw CredentialError(.invalid, "has a \"keys.auth\" that is not 16 bytes long", remedy: Self.remedy)
    }
    self.endpoint = endpoint
    // Ignores values beyond the range of times.
    expiration = file.expirationTime.flatMap {
      (0...4e15).contains($0) ? WallTime(microseconds: Int64($0 * 1000)) : nil
    }
    publicKey = key
    self.secret = secret
  }

  /// Origin of the endpoint: audience of VAPID tokens.
  public var origin: String { Self.origin(of: endpoint) ?? "" }

  /// Whether the endpoint is Apple's, which has stricter rules.
  public var isAtApple: Bool {
    let host = origin.dropFirst("https://".count).prefix { $0 != ":" }
    return origin.hasPrefix("https://") && (host == "push.apple.com" || host.hasSuffix(".push.apple.com"))
  }

  /// Scheme and authority of an absolute URL, in lower case; `nil` for other texts.
  static func origin(of url: String) -> String? {
    let scheme = ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
    guard let scheme else { return nil }
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    return authority.isEmpty ? nil : scheme + authority.lowercased()
  }

  /// The origin only, since the rest of the endpoint is a secret.
  public var description: String { "subscription at \(origin)" }
}

extension PushSubscription: CustomReflectable {
  /// Hides the endpoint from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Signs VAPID tokens, which identify the sender (RFC 8292).
public struct VAPIDSigner: Sendable {
  /// Lifetime of a token; services refuse more than a day.
  public static let tokenLifetime = Duration.seconds(12 * 3600)

  /// The subscription's `applicationServerKey`: 65 bytes as base64url.
  public let publicKey: String
  private let key: P256.PrivateKey
  private let subject: String

  private static let remedy = "make one with: openssl ecparam -name prime256v1 -genkey -noout -out vapid.pem"

  /// - Parameters:
  ///   - keyPEM: PKCS #8 or SEC 1, or the 32 bytes as base64url that JavaScript libraries print.
  ///   - subject: whom a service may write to: `mailto:` or `https:`.
  public init(keyPEM: [UInt8], subject: String) throws(CredentialError) {
    if let bare = Self.bareKey(keyPEM) {
      key = bare
    } else {
      key = try P256Key.read(keyPEM, remedy: Self.remedy)
    }
    publicKey = Base64URL.encode(key.publicKey.x963Representation)
    guard WebPushDialect.isSubject(subject) else {
      throw CredentialError(
        .invalid, "goes with a subject that is not a contact",
        remedy: "write mailto:you@your.domain or https://your.domain, without blanks and <>")
    }
    self.subject = subject
  }

  private static func bareKey(_ text: [UInt8]) -> P256.PrivateKey? {
    guard text.count <= 45, let text = String(validating: text, as: UTF8.self),
      let bytes = Base64Text.decode(text), bytes.count == 32
    else { return nil }
    return try? P256.PrivateKey(rawRepresentation: bytes)
  }

  /// Value of the `Authorization` header for one push service.
  ///
  /// - Parameter origin: origin of the endpoint.
  public func authorization(for origin: String, issuedAt: WallTime) throws(CredentialError) -> String {
    let end = issuedAt.seconds + Self.tokenLifetime.components.seconds
    let token = try WebToken.es256(
      header: #"{"typ":"JWT","alg":"ES256"}"#,
      claims: "{\"aud\":\(JSONText.quoted(origin)),\"exp\":\(end),\"sub\":\(JSONText.quoted(subject))}",
      key: key)
    return "vapid t=\(token),k=\(publicKey)"
  }
}
