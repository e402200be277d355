import Foundation
import Measurement

/// Body of `messages:send`, validated by FCM's rules.
struct FCMMessage {
  /// An invalid field.
  struct Violation: Error {
    var field: String
    var message: String
    /// Whether the request is valid but the device unknown.
    var isUnregistered = false

    init(_ field: String, _ message: String, isUnregistered: Bool = false) {
      self.field = field
      self.message = message
      self.isUnregistered = isUnregistered
    }
  }

  private static let messageFields: Set<String> = [
    "name", "data", "notification", "android", "webpush", "apns", "fcm_options", "token", "fid", "topic",
    "condition",
  ]
  private static let androidFields: Set<String> = [
    "collapse_key", "priority", "ttl", "restricted_package_name", "data", "notification", "fcm_options",
    "direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok",
  ]

  let isOnlyValidated: Bool
  let data: [String: String]

  /// - Parameter device: the only registered token; its installation ID precedes the colon.
  init(_ body: Data, device: String) throws(Violation) {
    guard let value = try? JSONDecoder().decode(ReceivedJSON.self, from: body), let top = value.object else {
      throw Violation("", "Invalid JSON payload received: it is no object.")
    }
    let request = try Self.fields(top, known: ["validate_only", "message"], of: "")
    switch request["validate_only"] {
    case .none, .boolean(false): isOnlyValidated = false
    case .boolean(true): isOnlyValidated = true
    default: throw Violation("validate_only", "Invalid value: it must be true or false.")
    }
    guard let value = request["message"]?.object else {
      throw Violation("message", "Message is not set.")
    }
    let message = try Self.fields(value, known: Self.messageFields, of: "message")
    data = try Self.data(message["data"], "message.data")
    try Self.check(android: message["android"])
    let isTopic = try Self.check(receiver: message, device: device)
    try Self.check(
      size: message, data: data,
      limit: isTopic ? FCMDialect.maximumTopicPayloadBytes : FCMDialect.maximumPayloadBytes)
  }

  /// Names may be in snake case or camel case, as in protobuf's JSON; unknown names are refused.
  private static func fields(
    _ members: [String: ReceivedJSON], known: Set<String>, of path: String
  ) throws(Violation) -> [String: ReceivedJSON] {
    var fields: [String: ReceivedJSON] = [:]
    for (name, value) in members {
      let plain = snakeCase(name)
      guard known.contains(plain) else {
        let place = path.isEmpty ? "" : " at '\(path)'"
        throw Violation(
          path,
          "Invalid JSON payload received. Unknown name \"\(name.prefix(64))\"\(place): Cannot find field.")
      }
      if value != .null { fields[plain] = value }
    }
    return fields
  }

  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { text, character in
      text += character.isUppercase ? "_" + character.lowercased() : String(character)
    }
  }

  private static func data(_ value: ReceivedJSON?, _ path: String) throws(Violation) -> [String: String] {
    guard let value else { return [:] }
    guard let members = value.object else { throw Violation(path, "Invalid value: it must be an object.") }
    var data: [String: String] = [:]
    for (key, value) in members {
      guard let text = value.text else {
        throw Violation("\(path)[\"\(key.prefix(64))\"]", "Invalid value: data holds texts only.")
      }
      guard key != "from", key != "message_type", !key.hasPrefix("google"), !key.hasPrefix("gcm") else {
        throw Violation("\(path)[\"\(key.prefix(64))\"]", "Invalid data payload key: it is reserved.")
      }
      data[key] = text
    }
    return data
  }

  private static func check(android value: ReceivedJSON?) throws(Violation) {
    guard let value else { return }
    guard let members = value.object else {
      throw Violation("message.android", "Invalid value: it must be an object.")
    }
    let android = try fields(members, known: androidFields, of: "message.android")
    if let priority = android["priority"] {
      guard let word = priority.text, ["normal", "high", "NORMAL", "HIGH"].contains(word) else {
        throw Violation("message.android.priority", "Invalid value: it must be NORMAL or HIGH.")
      }
    }
    if let ttl = android["ttl"] {
      guard let text = ttl.text, let seconds = seconds(text) else {
        throw Violation("message.android.ttl", "Illegal duration format; duration must end with 's'.")
      }
      guard (0...Double(FCMDialect.longestTTL)).contains(seconds) else {
        throw Violation("message.android.ttl", "Invalid value: it must be from 0s to 2419200s.")
      }
    }
    _ = try data(android["data"], "message.android.data")
  }

  /// Parses protobuf's JSON form of a duration.
  private static func seconds(_ text: String) -> Double? {
    guard text.hasSuffix("s") else { return nil }
    let number = text.dropLast()
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 12 }),
      parts.allSatisfy({ $0.utf8.allSatisfy(ASCII.isDigit) })
    else { return nil }
    return Double(number)
  }

  /// Whether the message is for a topic or condition.
  private static func check(
    receiver message: [String: ReceivedJSON], device: String
  ) throws(Violation) -> Bool {
    let receivers = ["token", "fid", "topic", "condition"].filter { message[$0] != nil }
    guard receivers.count == 1, let kind = receivers.first, let text = message[kind]?.text else {
      throw Violation(
        "message", "Exactly one of token, topic or condition is required, and it must be a text.")
    }
    guard kind == "token" || kind == "fid" else { return true }
    let known = kind == "token" ? device[...] : device.prefix { $0 != ":" }
    if text == known { return false }
    let isWellFormed =
      (kind == "token" ? 100...4096 : 22...22).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isBase64URL($0) || $0 == UInt8(ascii: ":") }
    guard isWellFormed else {
      throw Violation(
        "message.\(kind)",
        kind == "token"
          ? "The registration token is not a valid FCM registration token"
          : "The installation ID is not a valid Firebase installation ID")
    }
    throw Violation("", "Requested entity was not found.", isUnregistered: true)
  }

  private static func check(
    size message: [String: ReceivedJSON], data: [String: String], limit: Int
  ) throws(Violation) {
    var bytes = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    for value in (message["notification"]?.object ?? [:]).values { bytes += value.text?.utf8.count ?? 0 }
    guard bytes <= limit else { throw Violation("", "Android message is too big") }
  }
}
