import Cryptography
import FoundationEssentials
import Measurement

/// A Google service account, which requests access tokens (RFC 7523).
public struct ServiceAccount: Sendable, CustomStringConvertible {
  public let clientEmail: String
  public let projectID: String
  /// URL of the token endpoint.
  public let tokenURI: String
  private let privateKeyID: String?
  private let privateKey: RSA.PrivateKey

  /// Audience of assertions, independent of the token endpoint.
  public static let audience = "https://oauth2.googleapis.com/token"
  /// Google's limit of an assertion's lifetime.
  public static let assertionLifetime = Duration.seconds(3600)

  private static let remedy =
    "download a new key in the Firebase console (Project settings, Service accounts, Generate new private key)"

  private struct File: Decodable {
    var type: String?
    var projectID: String?
    var privateKeyID: String?
    var privateKey: String?
    var clientEmail: String?
    var tokenURI: String?

    enum CodingKeys: String, CodingKey {
      case type
      case projectID = "project_id"
      case privateKeyID = "private_key_id"
      case privateKey = "private_key"
      case clientEmail = "client_email"
      case tokenURI = "token_uri"
    }
  }

  /// - Parameter json: content of the file from the Firebase console.
  public init(json: [UInt8]) throws(CredentialError) {
    let file = try Self.decode(json)
    func need(_ value: String?, _ key: String) throws(CredentialError) -> String {
      guard let value, !value.isEmpty else {
        throw CredentialError(.incomplete, "has no \"\(key)\"", remedy: Self.remedy)
      }
      return value
    }
    guard file.type == nil || file.type == "service_account" else {
      throw CredentialError(
        .wrongKey, "is not a service account's file (its \"type\" is another one)", remedy: Self.remedy)
    }
    clientEmail = try need(file.clientEmail, "client_email")
    projectID = try need(file.projectID, "project_id")
    guard Self.isProjectID(projectID) else {
      throw CredentialError(.invalid, "has a \"project_id\" that is none", remedy: Self.remedy)
    }
    tokenURI = try need(file.tokenURI, "token_uri")
    guard tokenURI.hasPrefix("https://") || tokenURI.hasPrefix("http://"),
      tokenURI.utf8.allSatisfy(ASCII.isVisible)
    else {
      throw CredentialError(.invalid, "has a \"token_uri\" that is not an https URL", remedy: Self.remedy)
    }
    privateKeyID = file.privateKeyID
    privateKey = try Self.key(try need(file.privateKey, "private_key"))
  }

  private static func decode(_ json: [UInt8]) throws(CredentialError) -> File {
    do {
      return try JSONDecoder().decode(File.self, from: Data(KeyText.json(json)))
    } catch DecodingError.typeMismatch(_, let context) {
      let key = context.codingPath.last?.stringValue ?? ""
      let what = key.isEmpty ? "is JSON, but not an object" : "has a \"\(key)\" that is not text"
      throw CredentialError(.malformed, what, remedy: remedy)
    } catch {
      let isCut = json.last.map { $0 != 0x7D } ?? true
      throw CredentialError(
        isCut ? .truncated : .malformed, "is not JSON\(isCut ? ": it does not end with a brace" : "")",
        remedy: remedy)
    }
  }

  private static func key(_ text: String) throws(CredentialError) -> RSA.PrivateKey {
    let pem: PEMText
    do {
      pem = try PEMText(Array(text.utf8), remedy: remedy)
    } catch {
      throw CredentialError(error.code, "has a \"private_key\" that \(error.message)", remedy: remedy)
    }
    do {
      return try RSA.PrivateKey(der: pem.der)
    } catch {
      throw CredentialError(
        .wrongKey, "has a \"private_key\" that is not an RSA key of 2048 bits or more", remedy: remedy)
    }
  }

  /// Letters, digits and hyphens; old projects also have a domain and a colon.
  static func isProjectID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || ".-:".utf8.contains($0) }
  }

  /// Request that exchanges a signed assertion for an access token. ``OAuthToken/parse(_:)`` parses the response.
  public func tokenRequest(issuedAt: WallTime) throws(CredentialError) -> PushRequest {
    let assertion = try assertion(issuedAt: issuedAt)
    // Only the grant type's colons need percent-encoding.
    let body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    return PushRequest(
      url: tokenURI, headers: [HeaderField("content-type", "application/x-www-form-urlencoded")],
      body: Array(body.utf8))
  }

  func assertion(issuedAt: WallTime) throws(CredentialError) -> String {
    let issued = issuedAt.seconds
    let keyID = privateKeyID.map { ",\"kid\":\(JSONText.quoted($0))" } ?? ""
    let claims =
      "{\"iss\":\(JSONText.quoted(clientEmail)),\"scope\":\"\(FCMDialect.scope)\",\"aud\":\"\(Self.audience)\","
      + "\"iat\":\(issued),\"exp\":\(issued + Self.assertionLifetime.components.seconds)}"
    return try WebToken.rs256(
      header: "{\"typ\":\"JWT\",\"alg\":\"RS256\"\(keyID)}", claims: claims, key: privateKey)
  }

  /// The description without the key.
  public var description: String { "service account of \(projectID)" }
}

extension ServiceAccount: CustomReflectable {
  /// Hides the key from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
