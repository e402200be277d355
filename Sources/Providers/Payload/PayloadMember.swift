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
}
