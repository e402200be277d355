import Cryptography
import FoundationEssentials
import Measurement

/// The `pushscope` member of a payload, which a device needs to send a receipt.
public enum PayloadMember {
  /// Name of the member.
  public static let name = "pushscope"
  /// Version of the format: its `v`.
  public static let version = 1

  /// `{"v":1,"id":"…","mac":"…","at":…}`; `mac` is optional. No value needs escaping.
  public static func json(for notification: PushNotification) -> String {
    let mac = notification.mac.map { "\"mac\":\"\($0)\"," } ?? ""
    let at = notification.plannedAt.microseconds / 1000
    return "{\"v\":\(version),\"id\":\"\(notification.id)\",\(mac)\"at\":\(at)}"
  }

  /// The same as members with string values: `"v":"1","id":"…","mac":"…","at":"…"`.
  public static func stringFields(for notification: PushNotification) -> String {
    let mac = notification.mac.map { "\"mac\":\"\($0)\"," } ?? ""
    let at = notification.plannedAt.microseconds / 1000
    return "\"v\":\"\(version)\",\"id\":\"\(notification.id)\",\(mac)\"at\":\"\(at)\""
  }

  /// The longest result of ``json(for:)``, for checks of limits.
  static let largestJSON =
    "{\"v\":1,\"id\":\"\(String(repeating: "0", count: 36))\",\"mac\":\"\(String(repeating: "A", count: 43))\",\"at\":0000000000000}"

  static let largestStringFields =
    "\"v\":\"1\",\"id\":\"\(String(repeating: "0", count: 36))\",\"mac\":\"\(String(repeating: "A", count: 43))\",\"at\":\"0000000000000\""

  /// The notification's identity in a received payload.
  public struct Ticket: Sendable, Hashable {
    public var id: NotificationID
    public var mac: String?
  }

  private struct Envelope: Decodable {
    struct Member: Decodable {
      var v: Int
      var id: String
      var mac: String?
    }
    var pushscope: Member
  }

  /// Reads the member of an untrusted JSON object of limited size; `nil` for anything else.
  public static func ticket(in payload: [UInt8]) -> Ticket? {
    guard payload.count <= 16 * 1024, payload.first == 0x7B,
      let member = try? JSONDecoder().decode(Envelope.self, from: Data(payload)).pushscope,
      member.v == version, let id = NotificationID(member.id), (member.mac?.utf8.count ?? 0) <= 128
    else { return nil }
    return Ticket(id: id, mac: member.mac)
  }
}

/// Pads a JSON object to an exact size, with a member that devices ignore or, if it does not fit, with blanks.
enum PayloadPadding {
  /// Name of the member.
  static let name = "padding"
  private static let overhead = ",\"\(name)\":\"\"".utf8.count

  /// Text before the closing brace of a nonempty object, of size `bytes`.
  static func text(bytes: Int) -> String {
    guard bytes > 0 else { return "" }
    guard bytes >= overhead else { return String(repeating: " ", count: bytes) }
    return ",\"\(name)\":\"" + String(repeating: "x", count: bytes - overhead) + "\""
  }
}

/// Creates and verifies the MAC of a notification id: HMAC-SHA-256 (RFC 2104) over `1|collector id|notification id`,
/// ids in lower case, as base64url without padding (RFC 4648, section 5).
///
/// It authenticates the notification id, not the content of a receipt.
public struct ReceiptAuthenticator: Sendable {
  private let key: HMAC
  private let prefix: [UInt8]

  /// - Parameter secret: key of the collector; 32 random bytes are recommended.
  public init(secret: [UInt8], collectorID: UUID) {
    key = HMAC(secret: secret)
    prefix = Array("1|\(collectorID.uuidString.lowercased())|".utf8)
  }

  private init(key: HMAC, prefix: [UInt8]) {
    self.key = key
    self.prefix = prefix
  }

  /// The one of a device that joined: a MAC of it proves a notification of this device alone.
  /// - Parameter keyHash: SHA-256 of the device key in hexadecimal.
  public func device(keyHash: String) -> ReceiptAuthenticator {
    ReceiptAuthenticator(key: HMAC(secret: key.code(for: Array("device|\(keyHash)".utf8))), prefix: prefix)
  }

  /// 43 characters.
  public func mac(for id: NotificationID) -> String {
    Base64URL.encode(key.code(for: message(id)))
  }

  /// Verifies a MAC in constant time.
  public func verify(_ mac: String, for id: NotificationID) -> Bool {
    guard mac.utf8.count == 43, let bytes = Base64URL.decode(mac) else { return false }
    return key.isValid(bytes, for: message(id))
  }

  private func message(_ id: NotificationID) -> [UInt8] { prefix + Array(id.description.utf8) }
}
