/// The words and limits of ntfy, as a client and as the loopback service need them.
public enum NtfyDialect {
  /// Longer messages become attachments: a server reads 4096 bytes, and takes a body that fills them for one that goes
  /// on (ntfy's `message-size-limit`).
  public static let maximumMessageBytes = 4095
  /// A line of the event stream: a message, escaped, and what is told of it.
  public static let maximumLineBytes = 32 * 1024
  /// How often a quiet stream says that it lives.
  public static let keepaliveInterval = Duration.seconds(45)

  /// 1 to 64 letters, digits, hyphens and underscores.
  public static func isTopic(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
      }
  }
}
