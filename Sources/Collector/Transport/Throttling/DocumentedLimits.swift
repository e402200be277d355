import Measurement

/// What the public push services' own documentation allows one sender (docs/sending.md names the pages). A server of
/// one's own has its own limits, says them with 429, and is obeyed then.
enum DocumentedLimits {
  private static let apple: Set<String> = [
    "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
  ]

  /// Apple: no more than two or three background notifications an hour, or the system throttles them.
  /// - Parameter share: how much of the schedule is background, from 0 to 1.
  static func apns(host: String, backgroundShare share: Double) -> [SendLimit] {
    guard apple.contains(host), share > 0 else { return [] }
    return [
      SendLimit(
        .window(count: Int((3 / share).rounded(.down)), period: .seconds(3600)),
        "Apple asks for no more than 3 background notifications an hour")
    ]
  }

  /// Google: 600 000 requests a minute and project; 240 messages a minute and 5 000 an hour to one Android device.
  static func fcm(host: String, validateOnly: Bool) -> [SendLimit] {
    guard host == "fcm.googleapis.com" else { return [] }
    let project = SendLimit(
      .window(count: 600_000, period: .seconds(60)), "FCM allows a project 600000 messages a minute")
    if validateOnly { return [project] }
    return [
      SendLimit(.window(count: 240, period: .seconds(60)), "FCM allows a device 240 messages a minute"),
      SendLimit(.window(count: 5000, period: .seconds(3600)), "FCM allows a device 5000 messages an hour"),
      project,
    ]
  }

  /// ntfy.sh: 60 requests at once and one more each 5 s; 250 messages a day.
  static func ntfy(host: String) -> [SendLimit] {
    guard host == "ntfy.sh" else { return [] }
    return [
      SendLimit(
        .bucket(capacity: 60, interval: .seconds(5)), "ntfy.sh allows a visitor one request each 5 s"),
      SendLimit(
        .window(count: 250, period: .seconds(86_400)), "ntfy.sh allows a visitor 250 messages a day"),
    ]
  }
}
