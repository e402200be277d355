/// Names and limits of ntfy's API.
public enum NtfyDialect {
  /// Largest message, in bytes. A server reads 4096 bytes (`message-size-limit`) and treats a body that fills them as an
  /// attachment.
  public static let maximumMessageBytes = 4095
  /// Largest body of a UnifiedPush message, which never becomes an attachment, in bytes.
  public static let maximumUnifiedPushBytes = 4096
  /// Longest accepted line of the event stream, in bytes: an escaped message and its metadata.
  public static let maximumLineBytes = 32 * 1024
  /// Interval between keepalive events on an idle stream.
  public static let keepaliveInterval = Duration.seconds(45)
  /// Message priorities; a server's default is 3.
  public static let priorities = 1...5
  /// Topics that every server refuses with error 40010 (`DefaultDisallowedTopics` in ntfy's source).
  public static let reservedTopics: Set<String> = [
    "docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1",
  ]

  /// Whether `text` can be a topic: 1 to 64 letters, digits, hyphens and underscores.
  public static func isTopic(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isBase64URL)
  }
}
