import FoundationEssentials

/// Meaning of a provider's response.
public struct ProviderAssessment: Sendable, Hashable {
  public var decision: ProviderDecision
  /// Time for which the provider asks for no further requests.
  public var retryAfter: Duration?
  /// What the response says about the credential; `nil` for nothing.
  public var credential: CredentialSignal?
  /// Whether the device token or subscription is invalid or belongs to another sender.
  public var isReceiverUnknown: Bool
  /// The provider's own id of the notification (``AnswerID``); `nil` where it gives none.
  public var answerID: String?

  public init(
    _ decision: ProviderDecision, retryAfter: Duration? = nil, credential: CredentialSignal? = nil,
    isReceiverUnknown: Bool = false, answerID: String? = nil
  ) {
    self.decision = decision
    self.answerID = answerID
    self.retryAfter = retryAfter
    self.credential = credential
    self.isReceiverUnknown = isReceiverUnknown
  }
}

/// Whether the provider accepted the notification.
public enum ProviderDecision: Sendable, Hashable {
  case accepted
  /// The provider's error reason; empty for none.
  case rejected(reason: String)
}

/// What a response says about the request's credential.
public enum CredentialSignal: Sendable, Hashable {
  /// The token has expired; a new one of the same key is likely to be accepted.
  case expired
  /// The token, or its key, is refused.
  case refused
  /// Too many new tokens were used on the connection; another one must wait.
  case renewedTooOften
}

/// Reads the id that a provider gives to a notification: the part of it that its engineers find the notification by.
enum AnswerID {
  /// A longer one is none: cut, it would identify nothing.
  static let maximumBytes = 1024

  static func bounded(_ text: String?) -> String? {
    text.flatMap { (1...maximumBytes).contains($0.utf8.count) ? $0 : nil }
  }

  /// A member of a JSON object; only its last part where it is a path.
  static func member(_ path: KeyPath<Members, String?>, of body: [UInt8]) -> String? {
    guard ReasonBody.isJSONObject(body),
      let members = try? JSONDecoder().decode(Members.self, from: Data(body))
    else { return nil }
    return bounded(members[keyPath: path]?.split(separator: "/").last.map(String.init))
  }

  /// Host and last part of a message's URL: the whole URL would let its reader delete the message (RFC 8030, section 6.2).
  static func location(_ text: String?) -> String? {
    guard let text = bounded(text), let scheme = text.firstRange(of: "://"),
      let last = text.prefix(while: { !"?#".contains($0) }).split(separator: "/").last.map(String.init)
    else { return nil }
    let host = text[scheme.upperBound...].prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
    return host.isEmpty || host == last ? nil : "\(host) \(last)"
  }

  /// Members that contain an id. One of another type is ignored.
  struct Members: Decodable {
    /// FCM: `projects/PROJECT/messages/ID`.
    var name: String?
    /// ntfy.
    var id: String?

    enum Key: String, CodingKey { case name, id }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      name = try? container.decode(String.self, forKey: .name)
      id = try? container.decode(String.self, forKey: .id)
    }
  }
}

/// Reads the error reason of a JSON response.
enum ReasonBody {
  /// Longer reasons are cut, since they become columns and table rows. In Unicode scalars, since a character may
  /// consist of any number of them.
  static let maximumScalars = 200

  /// Members with the reason. One of another type is ignored.
  private struct Body: Decodable {
    var reason: String?
    var error: String?

    enum Key: String, CodingKey { case reason, error }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      reason = try? container.decode(String.self, forKey: .reason)
      error = try? container.decode(String.self, forKey: .error)
    }
  }

  /// `reason`, as in APNs, or else `error` if it is a string; empty for neither.
  static func read(_ body: [UInt8]) -> String {
    guard isJSONObject(body), let decoded = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
      return ""
    }
    return bounded(decoded.reason ?? decoded.error ?? "")
  }

  /// Whether the first character is that of a JSON object, which excludes HTML at low cost.
  static func isJSONObject(_ body: [UInt8]) -> Bool {
    body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x7B
  }

  static func bounded(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumScalars)))
  }
}
