import HTTPServer
import NIOCore
import NIOHPACK
import Providers

/// Holds a request against the rules of Apple's provider API (Sending notification requests to APNs), in the order
/// in which a mistake hides the later ones: where, who, what.
enum APNsRequestCheck {
  /// A request that keeps the rules.
  struct Notification {
    /// As it is answered in `apns-id`: the sender's, or ours when it sent none.
    var id: String
    var payload: PayloadReader.Contents
  }

  enum Verdict {
    case accepted(Notification)
    case refused(APNsReason, id: String)
  }

  private static let pushTypes: Set<String> = [
    "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
    "pushtotalk", "voip", "widgets",
  ]

  /// The headers that count, each at most once.
  private struct Fields {
    var authorization: String?
    var id: String?
    var topic: String?
    var pushType: String?
    var priority: String?
    var expiration: String?
    var collapseID: String?
    var isAnyTwice = false

    init(_ headers: HPACKHeaders) {
      for (name, value, _) in headers {
        switch name {
        case APNsDialect.Header.authorization: set(\.authorization, value)
        case APNsDialect.Header.id: set(\.id, value)
        case APNsDialect.Header.topic: set(\.topic, value)
        case APNsDialect.Header.pushType: set(\.pushType, value)
        case APNsDialect.Header.priority: set(\.priority, value)
        case APNsDialect.Header.expiration: set(\.expiration, value)
        case "apns-collapse-id": set(\.collapseID, value)
        default: break
        }
      }
    }

    private mutating func set(_ field: WritableKeyPath<Fields, String?>, _ value: String) {
      if self[keyPath: field] != nil { isAnyTwice = true }
      self[keyPath: field] = value
    }
  }

  /// - Parameter freshID: makes an `apns-id` for a request that has none, or one that is no UUID.
  static func check(_ request: HTTPRequest, freshID: () -> String) -> Verdict {
    let fields = Fields(request.headers)
    let id = fields.id.flatMap { isUUID($0) ? $0 : nil } ?? freshID()
    if let reason = mistake(in: request, fields) { return .refused(reason, id: id) }
    guard let payload = PayloadReader.read(request.body) else { return .refused(.payloadEmpty, id: id) }
    return .accepted(Notification(id: id, payload: payload))
  }

  private static func mistake(in request: HTTPRequest, _ fields: Fields) -> APNsReason? {
    guard request.path.hasPrefix(APNsDialect.devicePathPrefix) else { return .badPath }
    guard request.method == "POST" else { return .methodNotAllowed }
    if fields.isAnyTwice { return .duplicateHeaders }
    if let reason = mistake(inAuthorization: fields.authorization) { return reason }
    if let id = fields.id, !isUUID(id) { return .badMessageID }
    if let expiration = fields.expiration, !isTimestamp(expiration) { return .badExpirationDate }
    if let pushType = fields.pushType, !pushTypes.contains(pushType) { return .invalidPushType }
    if let priority = fields.priority {
      guard ["10", "5", "1"].contains(priority) else { return .badPriority }
      if fields.pushType == "background", priority == "10" { return .badPriority }
    }
    guard let topic = fields.topic else { return .missingTopic }
    guard isTopic(topic) else { return .badTopic }
    if let collapseID = fields.collapseID, !(1...64).contains(collapseID.utf8.count) { return .badCollapseID }
    let token = request.path.dropFirst(APNsDialect.devicePathPrefix.count)
    if token.isEmpty { return .missingDeviceToken }
    guard isDeviceToken(token) else { return .badDeviceToken }
    let bytes = request.body.readableBytes
    if bytes == 0 { return .payloadEmpty }
    return bytes > maximumPayload(fields.pushType) ? .payloadTooLarge : nil
  }

  /// Any bearer is taken; the scheme in lower case, as Apple writes it and at least one implementation insists on.
  private static func mistake(inAuthorization value: String?) -> APNsReason? {
    guard let value, !value.isEmpty else { return .missingProviderToken }
    guard value.hasPrefix("bearer "), value.utf8.count > 7 else { return .invalidProviderToken }
    return nil
  }

  static func maximumPayload(_ pushType: String?) -> Int {
    pushType == "voip" ? 5120 : APNsDialect.maximumPayloadBytes
  }

  /// The canonical form in lower case: 8-4-4-4-12 hexadecimal digits.
  static func isUUID(_ text: String) -> Bool {
    guard text.utf8.count == 36 else { return false }
    return text.utf8.enumerated().allSatisfy { place, byte in
      switch place {
      case 8, 13, 18, 23: byte == UInt8(ascii: "-")
      default: isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
    }
  }

  /// Hexadecimal, of no fixed length: 64 digits are usual, 160 have been seen.
  private static func isDeviceToken(_ token: Substring) -> Bool {
    let bytes = token.utf8
    return (64...200).contains(bytes.count) && bytes.count % 2 == 0
      && bytes.allSatisfy { byte in
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
      }
  }

  private static func isTimestamp(_ text: String) -> Bool {
    (1...18).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
  }

  /// A bundle ID, with the push type's suffix or without.
  private static func isTopic(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
