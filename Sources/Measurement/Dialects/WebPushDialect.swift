/// Headers and limits of Web Push (RFC 8030, RFC 8291).
public enum WebPushDialect {
  /// Largest body that a push service must accept (RFC 8030, section 7.2), in bytes; many accept no more.
  public static let maximumBodyBytes = 4096
  /// Largest `Topic`, in characters (RFC 8030, section 5.4).
  public static let maximumTopicCharacters = 32
  /// Longest `TTL` that services grant, in seconds: 30 days. Longer ones are shortened.
  public static let longestTTL = 2_592_000
  /// Longest validity of a VAPID token (RFC 8292, section 2).
  public static let longestTokenLifetime = Duration.seconds(86_400)

  /// Names of header fields, lowercase as in HTTP/2.
  public enum Header {
    public static let ttl = "ttl"
    public static let urgency = "urgency"
    public static let topic = "topic"
    public static let contentEncoding = "content-encoding"
  }

  /// Whether `text` can be a `Topic`: 1 to 32 characters of base64url (RFC 8030, section 5.4).
  public static func isTopic(_ text: String) -> Bool {
    (1...maximumTopicCharacters).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isBase64URL)
  }

  /// Whether Apple's service accepts the topic: it decodes it as base64url, and no bytes encode to 4n + 1 characters.
  public static func isTopicForApple(_ text: String) -> Bool { isTopic(text) && text.utf8.count % 4 != 1 }

  /// Whether `text` can be a VAPID token's `sub` for every service: a `mailto:` or `https:` URI without blanks, quotes
  /// and angle brackets, of at most 256 bytes. Apple's service refuses those.
  public static func isSubject(_ text: String) -> Bool {
    guard text.utf8.count <= 256,
      text.utf8.allSatisfy({ ASCII.isVisible($0) && !"<>\"\\".utf8.contains($0) })
    else { return false }
    if text.hasPrefix("mailto:") {
      let parts = text.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }
    return text.hasPrefix("https://") && text.utf8.count > 8
  }

  /// Whether Apple's service accepts the `sub`: its host must not be a name or an address of the sender's own machine or
  /// network, such as `localhost` or `mac.local`.
  public static func isSubjectForApple(_ text: String) -> Bool {
    guard isSubject(text) else { return false }
    var host = host(ofSubject: text.lowercased())
    if host.last == "." { host.removeLast() }
    let isLocalName = ["localhost", "local"].contains { host == $0 || host.hasSuffix(".\($0)") }
    return !host.isEmpty && !isLocalName && !host.hasPrefix("127.") && host != "[::1]"
  }

  private static func host(ofSubject text: String) -> Substring {
    if text.hasPrefix("mailto:") {
      return text.drop { $0 != "@" }.dropFirst().prefix { $0 != "?" }
    }
    let authority = text.dropFirst("https://".count).prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    return host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
  }
}

/// `Urgency` (RFC 8030, section 5.3).
public enum WebPushUrgency: String, Sendable, Hashable, CaseIterable {
  case veryLow = "very-low"
  case low, normal, high
}
