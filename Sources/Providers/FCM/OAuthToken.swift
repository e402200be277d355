import FoundationEssentials
import Measurement

/// An access token and its lifetime (RFC 6749, section 5.1).
public struct OAuthToken: Sendable, Hashable, CustomStringConvertible {
  /// Value for the `Authorization` header.
  public let value: String
  /// The lifetime, counted from the time of the response.
  public let lifetime: Duration

  /// Google's lifetime, used when a response has none.
  public static let usualLifetime = Duration.seconds(3600)

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

  /// Parses the response to a ``ServiceAccount/tokenRequest(issuedAt:)``.
  public static func parse(_ response: PushResponse) -> Result<OAuthToken, TokenRefusal> {
    guard response.status == 200 else { return .failure(TokenRefusal(response)) }
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)),
      let value = body.token, (1...8192).contains(value.utf8.count),
      value.utf8.allSatisfy(ASCII.isVisible)
    else {
      return .failure(
        TokenRefusal(status: 200, reason: "the answer has no access_token in it", retryAfter: nil))
    }
    let seconds = min(max(body.lifetime ?? usualLifetime.components.seconds, 0), 86_400)
    return .success(OAuthToken(value: value, lifetime: .seconds(seconds)))
  }

  /// The description without the token.
  public var description: String { "access token, \(lifetime.components.seconds) s" }
}

extension OAuthToken: CustomReflectable {
  /// Hides the token from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why no access token was issued (RFC 6749, section 5.2).
public struct TokenRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  public let status: Int
  /// Error code, like `invalid_grant`, and description. Untrusted text of limited size.
  public let reason: String
  public let retryAfter: Duration?

  init(status: Int, reason: String, retryAfter: Duration?) {
    self.status = status
    self.reason = reason
    self.retryAfter = retryAfter
  }

  private struct Body: Decodable {
    var error: String?
    var explanation: String?

    enum CodingKeys: String, CodingKey {
      case error
      case explanation = "error_description"
    }
  }

  init(_ response: PushResponse) {
    let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
    var words = [body?.error, body?.explanation].compactMap { $0 }.joined(separator: ": ")
    if words.isEmpty, (300...399).contains(response.status) {
      words = "it leads elsewhere, which is not followed"
    }
    self.init(
      status: response.status, reason: ReasonBody.bounded(words), retryAfter: RetryAfter.pause(response))
  }

  /// Whether the account is refused, so that a retry cannot succeed.
  public var isFinal: Bool { [400, 401, 403].contains(status) }

  public var remedy: String {
    reason.hasPrefix("invalid_grant")
      ? "check this machine's clock, and that the service account's key was not revoked"
      : "check the service account, or try again later"
  }

  public var description: String {
    "no access token was given (\(status)\(reason.isEmpty ? "" : " \(reason)")); \(remedy)"
  }
}
