import Cryptography
import FoundationEssentials
import Measurement

/// What a user agent is at a push service that speaks autopush's protocol: who it is there, its one subscription, and the keys of
/// that. All of it is secret: the service takes whoever has the `uaid` for the user agent, and whoever has the endpoint may send.
public struct AutopushIdentity: Sendable, Equatable {
  /// The service that it is of, as a URL.
  public var service: String
  /// Who the user agent is, as the service has named it.
  public var uaid: String
  /// A UUID in lower case.
  public var channelID: String
  /// Absolute https URL.
  public var endpoint: String
  /// The public key that the subscription is restricted to, in base64url; `nil` for none.
  public var senderKey: String?
  private var privateKey: [UInt8]
  private var secret: [UInt8]

  public init(
    service: String, uaid: String, channelID: String, endpoint: String, senderKey: String?,
    receiver: WebPushReceiver
  ) {
    self.service = service
    self.uaid = uaid
    self.channelID = channelID
    self.endpoint = endpoint
    self.senderKey = senderKey
    privateKey = receiver.privateKey.rawRepresentation
    secret = receiver.secret
  }

  /// Whether the subscription is one at a service, with endpoints at an origin and restricted to a sender's key.
  public func isUsable(at service: String, origin: String, senderKey: String?) -> Bool {
    self.service == service && self.senderKey == senderKey
      && AutopushEvent.origin(ofEndpoint: endpoint) == origin
  }

  /// Decrypts what is sent to the subscription.
  /// - Returns: `nil` for invalid keys.
  public var receiver: WebPushReceiver? {
    guard secret.count == 16, let key = try? P256.PrivateKey(rawRepresentation: privateKey) else {
      return nil
    }
    return WebPushReceiver(privateKey: key, secret: secret)
  }

  /// Where and with which keys to send to it.
  public var subscription: PushSubscription? {
    guard let receiver, let url = try? AutopushEvent.endpoint(endpoint) else { return nil }
    return PushSubscription(
      endpoint: url, publicKey: receiver.privateKey.publicKey, secret: receiver.secret)
  }

  // MARK: File

  private struct File: Codable {
    var version = 1
    var service: String
    var uaid: String
    var channelID: String
    var endpoint: String
    var senderKey: String?
    var privateKey: String
    var auth: String
  }

  /// Reads what ``json`` has written; `nil` for anything else.
  public init?(json: [UInt8]) {
    guard let file = try? JSONDecoder().decode(File.self, from: Data(json)), file.version == 1,
      let privateKey = Base64URL.decode(file.privateKey), let secret = Base64URL.decode(file.auth)
    else { return nil }
    service = file.service
    uaid = file.uaid
    channelID = file.channelID
    endpoint = file.endpoint
    senderKey = file.senderKey
    self.privateKey = privateKey
    self.secret = secret
    guard subscription != nil, AutopushEvent.isUserAgentID(uaid) else { return nil }
  }

  /// The file's content.
  public var json: String {
    let file = File(
      service: service, uaid: uaid, channelID: channelID, endpoint: endpoint, senderKey: senderKey,
      privateKey: Base64URL.encode(privateKey), auth: Base64URL.encode(secret))
    return JSONText.make(file, isIndented: true)
  }
}

extension AutopushIdentity: CustomStringConvertible, CustomReflectable {
  public var description: String {
    "user agent at \(PushSubscription.origin(of: service) ?? "a push service")"
  }

  /// Hides the secrets from `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
