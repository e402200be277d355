import Glibc

/// A process of this host. Two processes of one boot may have the same id, but not also the same start.
public struct ProcessIdentity: Sendable, Equatable, CustomStringConvertible {
  public let id: Int32
  /// When it started, in clock ticks since the boot (proc_pid_stat(5), `starttime`); 0 where /proc does not tell.
  let start: UInt64

  /// The calling process.
  public static let own = ProcessIdentity(runningAs: getpid())

  /// The process that has an id now.
  public init(runningAs id: Int32) { self.init(id: id, start: Self.runningStart(of: id) ?? 0) }

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
    return count > 0 ? start(inStatus: bytes[..<count]) : nil
  }

  /// The start in what /proc/PID/stat says. The name may have spaces and parentheses: fields are counted from its end.
  static func start(inStatus text: some BidirectionalCollection<UInt8>) -> UInt64? {
    guard let name = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = text[text.index(after: name)...].split(separator: UInt8(ascii: " "))
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
  }
}
