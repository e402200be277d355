import Glibc

/// Which boot of the kernel this is: two processes that read the same one share their monotonic clock.
public enum BootID {
  /// The kernel's UUID of this boot; `nil` where it does not tell.
  public static func current() -> String? {
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      let text = String(decoding: buffer[..<count], as: UTF8.self).prefix { !$0.isWhitespace }
      return text.isEmpty ? nil : String(text)
    }
  }
}
