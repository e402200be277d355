import Glibc

/// What this host calls itself.
public enum HostName {
  /// At most 64 bytes (gethostname(2)); `localhost` when the kernel does not say.
  public static func current() -> String {
    var name = [CChar](repeating: 0, count: 65)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
