import FoundationEssentials

/// An access token and how long it is good for (RFC 6749, section 5.1).
public struct OAuthToken: Sendable, Hashable, CustomStringConvertible {
  /// For the `Authorization` header.
  public let value: String
  /// From when the answer came.
  public let lifetime: Duration

  /// What Google gives; taken when an answer names none.
  public static let usualLifetime = Duration.seconds(3600)
  /// How long before its end a token is to be renewed.
  public static let renewBefore = Duration.seconds(300)

  public init(value: String, lifetime: Duration) {
    self.value = value
    self.lifetime = lifetime
  }

  private struct Body: Decodable {
    var token: String?
    var lifetime: Int64?

    enum Key: String, CodingKey {
      case token = "access_token"
      case lifetime = "expires_in"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      token = try? container.decode(String.self, forKey: .token)
      lifetime = try? container.decode(Int64.self, forKey: .lifetime)
    }
  }

  /// Reads the answer to a ``ServiceAccount/tokenRequest(issuedAt:)``.
  public static func parse(_ response: PushResponse) -> Result<OAuthToken, TokenRefusal> {
    guard response.status == 200 else { return .failure(TokenRefusal(response)) }
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)),
      let value = body.token, (1...8192).contains(value.utf8.count),
      value.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      return .failure(
        TokenRefusal(status: 200, reason: "the answer has no access_token in it", retryAfter: nil))
    }
    let seconds = min(max(body.lifetime ?? usualLifetime.components.seconds, 0), 86_400)
    return .success(OAuthToken(value: value, lifetime: .seconds(seconds)))
  }

  /// Without the token.
  public var description: String { "access token, \(lifetime.components.seconds) s" }
}

extension OAuthToken: CustomReflectable {
  /// Keeps `dump` from looking at the token.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
