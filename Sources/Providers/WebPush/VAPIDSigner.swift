import Crypto
import Measurement

/// Signs VAPID tokens, which identify the sender (RFC 8292).
public struct VAPIDSigner: Sendable {
  /// Lifetime of a token; services refuse more than a day.
  public static let tokenLifetime = Duration.seconds(12 * 3600)

  /// The subscription's `applicationServerKey`: 65 bytes as base64url.
  public let publicKey: String
  private let key: P256.Signing.PrivateKey
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

  private static func bareKey(_ text: [UInt8]) -> P256.Signing.PrivateKey? {
    guard text.count <= 45, let text = String(validating: text, as: UTF8.self),
      let bytes = Base64Text.decode(text), bytes.count == 32
    else { return nil }
    return try? P256.Signing.PrivateKey(rawRepresentation: bytes)
  }

  /// Value of the `Authorization` header for one push service.
  ///
  /// - Parameter origin: origin of the endpoint.
  public func authorization(for origin: String, issuedAt: WallTime) throws(CredentialError) -> String {
    let end = issuedAt.microseconds / 1_000_000 + Self.tokenLifetime.components.seconds
    let token = try WebToken.es256(
      header: #"{"typ":"JWT","alg":"ES256"}"#,
      claims: "{\"aud\":\(JSONText.quoted(origin)),\"exp\":\(end),\"sub\":\(JSONText.quoted(subject))}",
      key: key)
    return "vapid t=\(token),k=\(publicKey)"
  }
}
