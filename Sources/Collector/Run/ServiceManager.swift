import CLinux
import Glibc
import Measurement
import Synchronization

/// Tells the service manager that started the collector how it is: datagrams to `$NOTIFY_SOCKET`, as sd_notify(3) describes
/// them. The format is stable and a few lines of text, so that libsystemd is not needed.
///
/// It never blocks and never fails: a service manager that does not take the message gets the next one.
public final class ServiceManager: Sendable {
  /// Which thread is alive.
  enum Source: Sendable {
    /// Its loop shows that rows can be recorded, also while it retries a commit.
    case recorder
    /// Speaks for the collector while there is no recorder.
    case maintenance
  }

  private struct State {
    var isReady = false
    var recorders = 0
    var lastSign: MonotonicTime?
  }

  private let socket: Int32
  private let address: sockaddr_un
  private let addressLength: socklen_t
  /// The time between two signs of life; `nil` if the service manager does not watch.
  private let interval: Duration?
  private let state = Mutex(State())

  /// `nil` where no service manager wants to be told.
  /// - Parameters:
  ///   - environment: `NOTIFY_SOCKET` (an absolute path, or `@` and an abstract name), `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///   - processID: signs of life are for this process only.
  public init?(environment: [String: String], processID: Int32 = getpid()) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else {
      return nil
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    if name.hasPrefix("@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let socket = clinux_local_datagram_socket()
    guard socket >= 0 else { return nil }
    self.socket = socket
    self.address = address
    let header = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    // An abstract name ends where the address ends.
    addressLength = socklen_t(header + bytes.count + (name.hasPrefix("@") ? 0 : 1))
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    // Half of the limit is what sd_watchdog_enabled(3) recommends; a quarter leaves room for a slow commit.
    interval = isMeant && limit > 0 ? .microseconds(limit / 4) : nil
  }

  deinit { close(socket) }

  /// The store is recovered and the listeners accept connections. Later calls have no effect.
  func notifyReady() {
    let isFirst = state.withLock { state in
      defer { state.isReady = true }
      return !state.isReady
    }
    if isFirst { send("READY=1") }
  }

  /// What the collector does, for `systemctl status`.
  public func notify(status: String) { send("STATUS=\(EscapedText.make(status))") }

  /// The collector ends in order.
  func notifyStopping() { send("STOPPING=1\nSTATUS=stopping") }

  /// A recorder begins or has ended.
  func countRecorder(isRunning: Bool) {
    state.withLock { $0.recorders += isRunning ? 1 : -1 }
  }

  /// A thread's loop has gone round. Sent at a limited rate; while there is a recorder, only its own signs count, so that
  /// one that hangs is noticed.
  func notifyAlive(_ source: Source, at now: MonotonicTime) {
    guard let interval else { return }
    let isDue = state.withLock { state in
      guard source == .recorder || state.recorders == 0 else { return false }
      if let last = state.lastSign, now - last < interval { return false }
      state.lastSign = now
      return true
    }
    if isDue { send("WATCHDOG=1") }
  }

  private func send(_ message: String) {
    let bytes = Array(message.utf8)
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(
          socket, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
          addressLength)
      }
    }
  }
}
