/// The words and limits of Web Push (RFC 8030, RFC 8291), as a client and as the loopback service need them.
public enum WebPushDialect {
  /// A push service must take so many bytes (RFC 8030, section 7.2), and many take no more.
  public static let maximumBodyBytes = 4096
  /// Characters of `Topic` (RFC 8030, section 5.4).
  public static let maximumTopicCharacters = 32
  /// The relation of a receipt's resource in `Link` (RFC 8030, section 5.1).
  public static let receiptRelation = "urn:ietf:params:push:receipt"
  /// Seconds that a message may be kept, by what the services take: 30 days.
  public static let longestTTL = 2_592_000

  public enum Header {
    public static let ttl = "ttl"
    public static let urgency = "urgency"
    public static let topic = "topic"
    public static let contentEncoding = "content-encoding"
  }

  /// Whether it is a `Topic` (RFC 8030, section 5.4).
  public static func isTopic(_ text: String) -> Bool {
    (1...maximumTopicCharacters).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
      }
  }

  /// Whether Apple's service takes it too: it decodes a topic as base64url, and no bytes encode to one character more than
  /// a multiple of four.
  public static func isTopicForApple(_ text: String) -> Bool { isTopic(text) && text.utf8.count % 4 != 1 }
}

/// How much a message is worth a device's battery (RFC 8030, section 5.3).
public enum WebPushUrgency: String, Sendable, Hashable, CaseIterable {
  case veryLow = "very-low"
  case low, normal, high
}
