import FoundationEssentials

/// Why no access token was given (RFC 6749, section 5.2).
public struct TokenRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  public let status: Int
  /// `invalid_grant` and the like, with the description that came along; bounded, otherwise anything.
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

  /// Whether it refuses what we are: asking again changes nothing.
  public var isFinal: Bool { [400, 401, 403].contains(status) }

  /// What to do about it.
  public var remedy: String {
    reason.hasPrefix("invalid_grant")
      ? "check this machine's clock, and that the service account's key was not revoked"
      : "check the service account, or try again later"
  }

  public var description: String {
    "no access token was given (\(status)\(reason.isEmpty ? "" : " \(reason)")); \(remedy)"
  }
}
