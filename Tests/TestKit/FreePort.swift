import Foundation
import Glibc
import Synchronization

/// TCP ports of the loopback address.
public enum FreePort {
  /// Ports are given out in blocks of so many.
  private static let blockSize = 64

  /// The block of this process: the socket that reserves it, and its ports that were not given out yet.
  private struct Block {
    var socket: Int32
    var rest: Range<Int>
  }

  private static let block = Mutex<Block?>(nil)

  /// A port that nobody uses, for a program that a test starts. Nothing else takes it as long as this process runs: it is below
  /// the ports that the kernel gives to outgoing connections and to servers that ask for any, and each process of this suite
  /// has blocks of its own.
  public static func take() throws -> Int {
    try block.withLock { block in
      while true {
        while let port = block?.rest.popFirst() {
          if isFree(port) { return port }
        }
        block = try reserveBlock()
      }
    }
  }

  /// Ports that nobody uses, as arguments of a program.
  public static func arguments(_ count: Int) throws -> [String] {
    try (0..<count).map { _ in "\(try take())" }
  }

  /// A block is reserved by an abstract socket of its name, which lives as long as the process; it is never closed.
  private static func reserveBlock() throws -> Block {
    let range = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let end = range?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 32_768
    let starts = stride(from: 10_000, to: max(end, 12_000) - blockSize, by: blockSize)
    for start in starts.shuffled() {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let name = Array("\0pushscope-tests-\(start)".utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) }
      }
      if code == 0 { return Block(socket: descriptor, rest: start..<start + blockSize) }
      close(descriptor)
    }
    throw NeverHappened(what: "a block of ports is free")
  }

  private static func isFree(_ port: Int) -> Bool {
    let descriptor = makeSocket()
    defer { close(descriptor) }
    return bind(descriptor, to: port) != nil
  }

  /// A TCP socket that programs do not inherit.
  public static func makeSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  /// Binds a socket to a port of the loopback address.
  /// - Parameter port: 0 for one of the system's choice.
  /// - Returns: the port; `nil` when it is taken.
  public static func bind(_ descriptor: Int32, to port: Int = 0) -> Int? {
    withAddress(port) { address, length in
      guard Glibc.bind(descriptor, address, length) == 0 else { return nil }
      var length = length
      guard getsockname(descriptor, address, &length) == 0 else { return nil }
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int($0.pointee.sin_port.bigEndian)
      }
    }
  }

  /// Connects a socket to a port of the loopback address.
  public static func connect(_ descriptor: Int32, to port: Int) -> Bool {
    withAddress(port) { Glibc.connect(descriptor, $0, $1) == 0 }
  }

  /// Whether somebody listens on a port.
  public static func isListening(_ port: Int) -> Bool {
    let descriptor = makeSocket()
    defer { close(descriptor) }
    return connect(descriptor, to: port)
  }

  /// Starts a program of somebody else's, and waits until it listens on the port. One that a signal ends before that (chdb did so
  /// once on a busy machine, with SIGSEGV) is started again, twice at most: its start is not what is tested.
  public static func listening(on port: Int, _ start: () throws -> RunningProcess) throws -> RunningProcess {
    for _ in 0..<2 {
      let process = try start()
      do {
        try waitUntilTaken(port, by: process)
        return process
      } catch {
        guard let status = process.status(), status > 128 else { throw error }
      }
    }
    let process = try start()
    try waitUntilTaken(port, by: process)
    return process
  }

  /// Waits until a process listens on the port.
  public static func waitUntilTaken(_ port: Int, by process: RunningProcess) throws {
    try eventually("something listens on port \(port)", seen: { process.standardError }) {
      if isListening(port) { return true }
      guard let status = process.status() else { return false }
      throw NeverHappened(
        what: "process \(process.pid) listens: exit status \(status)", seen: process.standardError)
    }
  }

  private static func withAddress<Result>(
    _ port: Int, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
