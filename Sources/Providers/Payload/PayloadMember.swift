import FoundationEssentials
import Measurement

/// The `pushscope` member of a payload: what a device needs to send a receipt.
public enum PayloadMember {
  /// The member's name beside the provider's own ones.
  public static let name = "pushscope"
  /// Its layout's version, the `v` in it.
  public static let version = 1

  /// `{"v":1,"id":"…","mac":"…","at":…}`; without `mac` when there is none. Every part is made by us and needs no
  /// escaping.
  public static func json(for notification: PushNotification) -> String {
    let mac = notification.mac.map { "\"mac\":\"\($0)\"," } ?? ""
    let at = notification.plannedAt.microseconds / 1000
    return "{\"v\":\(version),\"id\":\"\(notification.id)\",\(mac)\"at\":\(at)}"
  }

  /// The same as members of an object whose values are all strings: `"v":"1","id":"…","mac":"…","at":"…"`.
  public static func stringFields(for notification: PushNotification) -> String {
    let mac = notification.mac.map { "\"mac\":\"\($0)\"," } ?? ""
    let at = notification.plannedAt.microseconds / 1000
    return "\"v\":\"\(version)\",\"id\":\"\(notification.id)\",\(mac)\"at\":\"\(at)\""
  }

  /// As long as ``json(for:)`` ever gets, for limits that are checked before there is a notification.
  static let largestJSON =
    "{\"v\":1,\"id\":\"\(String(repeating: "0", count: 36))\",\"mac\":\"\(String(repeating: "A", count: 43))\",\"at\":0000000000000}"

  static let largestStringFields =
    "\"v\":\"1\",\"id\":\"\(String(repeating: "0", count: 36))\",\"mac\":\"\(String(repeating: "A", count: 43))\",\"at\":\"0000000000000\""

  /// What a payload that came back says of the notification it belongs to.
  public struct Ticket: Sendable, Hashable {
    public var id: NotificationID
    public var mac: String?

    public init(id: NotificationID, mac: String? = nil) {
      self.id = id
      self.mac = mac
    }
  }

  private struct Envelope: Decodable {
    struct Member: Decodable {
      var v: Int
      var id: String
      var mac: String?
    }
    var pushscope: Member
  }

  /// Reads `{"pushscope":{…}}` among whatever else an object has; `nil` for anything else. It is outside data: larger
  /// ones than any payload are not looked at.
  public static func ticket(in payload: [UInt8]) -> Ticket? {
    guard payload.count <= 16 * 1024, payload.first == 0x7B,
      let member = try? JSONDecoder().decode(Envelope.self, from: Data(payload)).pushscope,
      member.v == version, let id = NotificationID(member.id), (member.mac?.utf8.count ?? 0) <= 128
    else { return nil }
    return Ticket(id: id, mac: member.mac)
  }
}
