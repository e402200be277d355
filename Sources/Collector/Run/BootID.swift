import FoundationEssentials

/// Which boot of this host the monotonic clock counts from.
public enum BootID {
  /// The kernel's UUID of this boot.
  public static func current() -> String {
    let file = "/proc/sys/kernel/random/boot_id"
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return "unknown" }
    return String(text.prefix { !$0.isWhitespace })
  }
}
