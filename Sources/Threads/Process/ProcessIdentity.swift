import Glibc

/// A process of this host. The kernel gives its id to another one later, but not the moment of its start with it.
public struct ProcessIdentity: Sendable, Equatable, CustomStringConvertible {
  public let id: Int32
  /// When it started, in clock ticks since the boot (proc_pid_stat(5), `starttime`); 0 where /proc does not tell.
  public let start: UInt64

  /// The calling process.
  public static var own: ProcessIdentity {
    ProcessIdentity(id: getpid(), start: runningStart(of: getpid()) ?? 0)
  }

  private init(id: Int32, start: UInt64) { (self.id, self.start) = (id, start) }

  /// Reads ``description``: `4711-123456`. A number alone is an id with an unknown start.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let id = parts.first.flatMap({ Int32($0) }), id > 0, parts.count <= 2 else { return nil }
    guard let start = parts.count == 1 ? 0 : UInt64(parts[1]) else { return nil }
    self.init(id: id, start: start)
  }

  public var description: String { "\(id)-\(start)" }

  /// Whether the process is still there. Where a start is not known, any process of that id is taken for it.
  public var isRunning: Bool {
    if let running = Self.runningStart(of: id), start != 0 { return running == start }
    return kill(id, 0) == 0 || errno != ESRCH
  }

  private static func runningStart(of id: Int32) -> UInt64? {
    let descriptor = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(descriptor, &bytes, bytes.count)
    // The name may have spaces and parentheses: fields are counted from its end, where the third one begins.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
  }
}
