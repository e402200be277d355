import HTTPServer
import NIOCore

/// Holds a request against the rules of Apple's provider API (Sending notification requests to APNs) that need no
/// memory, in the order in which a mistake hides the later ones: where, who, what.
enum APNsRules {
  static let devicePath = "/3/device/"

  /// What a topic must end with, by push type; the bundle ID alone for the others.
  private static let topicSuffixes: [String: String] = [
    "alert": "", "background": "", "complication": ".complication", "controls": ".push-type.controls",
    "fileprovider": ".pushkit.fileprovider", "liveactivity": ".push-type.liveactivity",
    "location": ".location-query", "mdm": "", "pushtotalk": ".voip-ptt", "voip": ".voip",
    "widgets": ".push-type.widgets",
  ]

  /// - Parameter authorize: The word for why the `authorization` header is not good enough, or `nil`.
  static func mistake(
    in request: HTTPRequest, _ fields: APNsFields, authorize: (String?) -> String?
  ) -> String? {
    guard request.path.hasPrefix(devicePath) else { return "BadPath" }
    guard request.method == "POST" else { return "MethodNotAllowed" }
    if fields.isAnyTwice { return "DuplicateHeaders" }
    if let word = authorize(fields.authorization) { return word }
    if let id = fields.id, !isUUID(id) { return "BadMessageId" }
    if let expiration = fields.expiration, !isTimestamp(expiration) { return "BadExpirationDate" }
    if let pushType = fields.pushType, topicSuffixes[pushType] == nil { return "InvalidPushType" }
    if let word = mistake(inPriority: fields.priority, pushType: fields.pushType) { return word }
    guard let topic = fields.topic else { return "MissingTopic" }
    guard isTopic(topic) else { return "BadTopic" }
    if let suffix = fields.pushType.flatMap({ topicSuffixes[$0] }), !topic.hasSuffix(suffix) {
      return "BadTopic"
    }
    if let collapseID = fields.collapseID, !(1...64).contains(collapseID.utf8.count) {
      return "BadCollapseId"
    }
    let token = request.path.dropFirst(devicePath.count)
    if token.isEmpty { return "MissingDeviceToken" }
    guard isDeviceToken(token) else { return "BadDeviceToken" }
    let bytes = request.body.readableBytes
    if bytes == 0 { return "PayloadEmpty" }
    return bytes > maximumPayload(fields.pushType) ? "PayloadTooLarge" : nil
  }

  /// 10 is what a request without priority has, and a background push may not have it.
  private static func mistake(inPriority priority: String?, pushType: String?) -> String? {
    let priority = priority ?? "10"
    guard ["10", "5", "1"].contains(priority) else { return "BadPriority" }
    if pushType == "background", priority == "10" { return "BadPriority" }
    if pushType == "liveactivity", priority == "1" { return "BadPriority" }
    return nil
  }

  static func maximumPayload(_ pushType: String?) -> Int { pushType == "voip" ? 5120 : 4096 }

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
