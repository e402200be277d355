import FoundationEssentials
import Measurement

/// ntfy: publishes to a topic. The message is the payload's JSON.
public struct NtfyProvider: Provider {

  private let url: String
  private let headers: [HeaderField]
  private let payloadBytes: Int?

  /// - Parameters:
  ///   - origin: scheme, host and port, without a trailing slash.
  ///   - topic: see ``NtfyDialect/isTopic(_:)``.
  ///   - priority: 1 to 5; `nil` for the server's own, 3.
  ///   - payloadBytes: fill the message up to exactly so many bytes.
  ///   - isKept: the server caches messages for subscribers that are not connected. Without it, a message without a
  ///     connected subscriber is lost, and does not arrive much later.
  /// - Throws: ``ProviderError`` for settings that ntfy would refuse.
  public init(
    origin: String, topic: String, priority: Int? = nil, authorization: NtfyAuthorization = .none,
    payloadBytes: Int? = nil, isKept: Bool = false
  ) throws(ProviderError) {
    try Self.check(topic: topic)
    if let priority, !NtfyDialect.priorities.contains(priority) {
      throw ProviderError("priority", "\(priority) is out of range", remedy: "write a number from 1 to 5")
    }
    if let payloadBytes {
      let range = Self.smallestPayloadBytes...NtfyDialect.maximumMessageBytes
      guard range.contains(payloadBytes) else {
        throw ProviderError(
          "payload_bytes", "\(payloadBytes) is out of range",
          remedy: "write a number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
    url = "\(origin)/\(topic)"
    var headers = [HeaderField("content-type", "text/plain; charset=utf-8")]
    if !isKept { headers.append(HeaderField("cache", "no")) }
    if let priority { headers.append(HeaderField("priority", String(priority))) }
    self.headers = headers + authorization.headers
    self.payloadBytes = payloadBytes
  }

  static func check(topic: String) throws(ProviderError) {
    guard NtfyDialect.isTopic(topic) else {
      throw ProviderError(
        "topic", "is not a topic", remedy: "write 1 to 64 letters, digits, hyphens and underscores")
    }
    guard !NtfyDialect.reservedTopics.contains(topic) else {
      throw ProviderError("topic", "\"\(topic)\" is reserved by ntfy", remedy: "choose another name")
    }
  }

  /// Size of a message with a receipt's MAC.
  public static var smallestPayloadBytes: Int { message(PayloadMember.largestJSON, nil).utf8.count }

  private static func message(_ member: String, _ bytes: Int?) -> String {
    let head = "{\"\(PayloadMember.name)\":\(member)"
    return head + (bytes.map { PayloadPadding.text(bytes: $0 - head.utf8.count - 1) } ?? "") + "}"
  }

  public func request(for notification: PushNotification) -> PushRequest {
    let message = Self.message(PayloadMember.json(for: notification), payloadBytes)
    return PushRequest(url: url, headers: headers, body: Array(message.utf8))
  }

  private struct Body: Decodable {
    var code: Int?
    var error: String?

    enum Key: String, CodingKey { case code, error }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      code = try? container.decode(Int.self, forKey: .code)
      error = try? container.decode(String.self, forKey: .error)
    }
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    if response.status == 200 {
      return ProviderAssessment(.accepted, answerID: AnswerID.member(\.id, of: response.body))
    }
    var reason = ""
    if ReasonBody.isJSONObject(response.body),
      let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
    {
      reason = [body.code.map(String.init), body.error].compactMap { $0 }.joined(separator: " ")
    }
    return ProviderAssessment(
      .rejected(reason: ReasonBody.bounded(reason)), retryAfter: RetryAfter.pause(response),
      credential: [401, 403].contains(response.status) ? .refused : nil)
  }
}

/// Credentials of publisher and subscriber.
public enum NtfyAuthorization: Sendable, Hashable, CustomStringConvertible {
  /// No credential: topics without access control.
  case none
  /// An access token, `tk_…`.
  case token(String)
  case basic(username: String, password: String)

  /// The `Authorization` header's value; `nil` for none.
  public var headerValue: String? {
    switch self {
    case .none: nil
    case .token(let token): "Bearer \(token)"
    case .basic(let username, let password):
      "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
    }
  }

  var headers: [HeaderField] { headerValue.map { [HeaderField("authorization", $0)] } ?? [] }

  /// The description without token and password.
  public var description: String {
    switch self {
    case .none: "nobody"
    case .token: "token (hidden)"
    case .basic(let username, _): "\(username) (password hidden)"
    }
  }
}

extension NtfyAuthorization: CustomReflectable {
  /// Hides the credentials from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
