import FoundationEssentials
import Measurement

/// What a user agent says to the push service, in the protocol that Firefox and Mozilla's service speak.
enum AutopushRequest: Equatable {
  /// The first message; without `uaid` it asks for a new one.
  case hello(uaid: String?)
  /// - Parameter key: the application server's public key, as it came.
  case register(channelID: String, key: String?)
  case unregister(channelID: String)
  /// The versions of notifications that it has.
  case ack(versions: [String])
  case ping
  /// Something that this service takes and does not answer: `nack`, `broadcast_subscribe`.
  case ignored

  private struct Message: Decodable {
    struct Update: Decodable { var version: String }

    var messageType: String?
    var uaid: String?
    var channelID: String?
    var key: String?
    var updates: [Update]?
  }

  /// - Returns: `nil` for anything that is no such message.
  init?(_ text: String) {
    guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else { return nil }
    switch (message.messageType, message.channelID) {
    case ("hello", _): self = .hello(uaid: message.uaid)
    case ("register", let channelID?): self = .register(channelID: channelID, key: message.key)
    case ("unregister", let channelID?): self = .unregister(channelID: channelID)
    case ("ack", _): self = .ack(versions: (message.updates ?? []).map(\.version))
    case ("ping", _), (nil, _): self = .ping
    case ("nack", _), ("broadcast_subscribe", _): self = .ignored
    default: return nil
    }
  }
}

/// What the push service says to a user agent.
enum AutopushAnswer: Encodable, Equatable {
  case hello(uaid: String)
  case registered(channelID: String, status: Int, endpoint: String)
  case unregistered(channelID: String)
  case notification(AutopushNotification)
  case pong

  private enum Key: String, CodingKey {
    case messageType, uaid, status, channelID, pushEndpoint, version, data, headers, broadcasts
    case usesWebPush = "use_webpush"
  }

  func encode(to encoder: any Encoder) throws {
    var message = encoder.container(keyedBy: Key.self)
    switch self {
    case .hello(let uaid):
      try message.encode("hello", forKey: .messageType)
      try message.encode(uaid, forKey: .uaid)
      try message.encode(200, forKey: .status)
      try message.encode(true, forKey: .usesWebPush)
      try message.encode([String: String](), forKey: .broadcasts)
    case .registered(let channelID, let status, let endpoint):
      try message.encode("register", forKey: .messageType)
      try message.encode(channelID, forKey: .channelID)
      try message.encode(status, forKey: .status)
      try message.encode(endpoint, forKey: .pushEndpoint)
    case .unregistered(let channelID):
      try message.encode("unregister", forKey: .messageType)
      try message.encode(channelID, forKey: .channelID)
      try message.encode(200, forKey: .status)
    case .notification(let notification):
      try message.encode("notification", forKey: .messageType)
      try message.encode(notification.channelID, forKey: .channelID)
      try message.encode(notification.version, forKey: .version)
      guard let data = notification.data else { break }
      try message.encode(data, forKey: .data)
      try message.encode(["encoding": "aes128gcm"], forKey: .headers)
    case .pong: break
    }
  }

  var text: String { JSONText.make(self) }
}

/// A notification on its way to a user agent, which alone can decrypt it.
struct AutopushNotification: Sendable, Equatable {
  /// The secret part of the endpoint that it was sent to.
  var token: String
  var channelID: String
  /// The same for each copy of it.
  var version: String
  /// The body in base64url; `nil` without one.
  var data: String?
  var topic: String?
  /// How long it is kept, from now on, in seconds.
  var ttl: Int
}
