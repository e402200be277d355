import FoundationEssentials
import Measurement

/// What a user agent says to a push service, in the protocol that Firefox and Mozilla's service speak (`autopush`).
public enum AutopushRequest: Sendable, Equatable {
  /// What a user agent has done with a notification.
  public enum Outcome: Int, Sendable {
    case delivered = 100
    case notDecrypted = 101
    /// The subscription is none of its own.
    case notDelivered = 102
  }

  /// What a user agent says of one notification.
  public struct Acknowledgment: Sendable, Equatable {
    public var channelID: String
    public var version: String
    public var outcome: Outcome

    public init(channelID: String, version: String, outcome: Outcome) {
      self.channelID = channelID
      self.version = version
      self.outcome = outcome
    }
  }

  /// The first message; without `uaid` it asks for a new one.
  case hello(uaid: String?)
  /// - Parameter key: the public key to which the subscription is restricted, in base64url; `nil`: any.
  case register(channelID: String, key: String?)
  case unregister(channelID: String)
  case acknowledge([Acknowledgment])

  private struct Message: Encodable {
    struct Update: Encodable {
      var channelID: String
      var version: String
      var code: Int
    }

    var messageType: String
    var uaid: String?
    var useWebPush: Bool?
    var broadcasts: [String: String]?
    var channelID: String?
    var key: String?
    var code: Int?
    var updates: [Update]?

    enum CodingKeys: String, CodingKey {
      case messageType, uaid, broadcasts, channelID, key, code, updates
      case useWebPush = "use_webpush"
    }
  }

  /// The message's text.
  public var text: String {
    var message: Message
    switch self {
    case .hello(let uaid):
      message = Message(messageType: "hello", uaid: uaid, useWebPush: true, broadcasts: [:])
    case .register(let channelID, let key):
      message = Message(messageType: "register", channelID: channelID, key: key)
    case .unregister(let channelID):
      message = Message(messageType: "unregister", channelID: channelID, code: 200)
    case .acknowledge(let acknowledgments):
      message = Message(
        messageType: "ack",
        updates: acknowledgments.map {
          Message.Update(channelID: $0.channelID, version: $0.version, code: $0.outcome.rawValue)
        })
    }
    return JSONText.make(message)
  }
}

/// What a push service says to a user agent. It is untrusted: unknown messages and fields are ignored, everything is bounded.
public enum AutopushEvent: Sendable, Equatable {
  /// A notification for one of the user agent's subscriptions.
  public struct Notification: Sendable, Equatable {
    public var channelID: String
    /// The same for each copy of it.
    public var version: String
    /// The encrypted body; empty without one, or with one in another coding.
    public var body: [UInt8]

    public init(channelID: String, version: String, body: [UInt8]) {
      self.channelID = channelID
      self.version = version
      self.body = body
    }
  }

  case hello(uaid: String, status: Int)
  /// - Parameter endpoint: an absolute https URL for status 200; for others the service may say there what is wrong.
  case registered(channelID: String, status: Int, endpoint: String)
  case unregistered(channelID: String, status: Int)
  case notification(Notification)
  /// Something else, such as `broadcast`.
  case other

  /// A message's most bytes.
  public static let maximumBytes = 64 * 1024

  private struct Message: Decodable {
    struct Headers: Decodable { var encoding: String? }

    var messageType: String?
    var uaid: String?
    var status: Int?
    var channelID: String?
    var pushEndpoint: String?
    var version: String?
    var data: String?
    var headers: Headers?
  }

  /// - Returns: `nil` for anything that is no such message.
  public static func parse(_ text: [UInt8]) -> AutopushEvent? {
    guard text.count <= maximumBytes, ReasonBody.isJSONObject(text),
      let message = try? JSONDecoder().decode(Message.self, from: Data(text))
    else { return nil }
    switch message.messageType {
    case "hello":
      guard let status = message.status else { return nil }
      // A refusal names no user agent.
      guard status == 200 else { return .hello(uaid: "", status: status) }
      guard let uaid = message.uaid, isUserAgentID(uaid) else { return nil }
      return .hello(uaid: uaid, status: status)
    case "register":
      guard let channelID = message.channelID else { return nil }
      return .registered(
        channelID: channelID, status: message.status ?? 0, endpoint: message.pushEndpoint ?? "")
    case "unregister":
      return .unregistered(channelID: message.channelID ?? "", status: message.status ?? 0)
    case "notification":
      guard let channelID = message.channelID, let version = message.version, channelID.utf8.count <= 64,
        (1...maximumVersionBytes).contains(version.utf8.count)
      else { return nil }
      let isOurs = message.headers?.encoding.map { $0 == "aes128gcm" } ?? true
      let body = isOurs ? message.data.flatMap(Base64Text.decode) : nil
      return .notification(Notification(channelID: channelID, version: version, body: body ?? []))
    default: return .other
    }
  }

  /// Versions are kept and sent back; Mozilla's have about 200 bytes.
  private static let maximumVersionBytes = 2048

  /// 1 to 128 printable characters.
  static func isUserAgentID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isVisible)
  }

  /// Checks an endpoint.
  /// - Throws: ``CredentialError`` for anything but an https URL.
  static func endpoint(_ text: String) throws(CredentialError) -> String {
    guard text.hasPrefix("https://"), text.utf8.count <= 4096, PushSubscription.origin(of: text) != nil,
      text.utf8.allSatisfy(ASCII.isVisible), !text.contains("@"), !text.contains("#")
    else {
      throw CredentialError(.invalid, "is not an https URL", remedy: "ask who runs the push service")
    }
    return text
  }

  /// Scheme, host and port of an endpoint that a service gave; `nil` where it is not an https URL.
  public static func origin(ofEndpoint text: String) -> String? {
    (try? endpoint(text)).flatMap { PushSubscription.origin(of: $0) }
  }
}
