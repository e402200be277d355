import CNcurses
import Glibc

/// Writes received signals to a pipe, which the session's event loop reads (self-pipe).
struct SignalInbox: ~Copyable {
  let descriptor: Int32
  private let signals: [Int32]

  /// - Parameter includesEnd: also SIGINT, SIGTERM and SIGHUP; false where another part of the process handles them.
  init(includesEnd: Bool) throws(TerminalError) {
    descriptor = cncurses_signal_pipe()
    guard descriptor >= 0 else { throw .system("no pipe for signals") }
    signals = [SIGWINCH, SIGTSTP, SIGCONT] + (includesEnd ? [SIGINT, SIGTERM, SIGHUP] : [])
    for signal in signals { cncurses_catch_signal(signal) }
  }

  deinit {
    for signal in signals { cncurses_release_signal(signal) }
  }

  /// The signals that came, oldest first.
  func drain() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    var taken: [Int32] = []
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return taken }
      taken.append(contentsOf: bytes[..<count].map(Int32.init))
    }
  }

  /// Stops the process as Ctrl-Z does, and returns when it continues.
  ///
  /// - Parameter wholeGroup: the whole foreground process group, as the kernel does: a parent such as `make` must stop
  ///   too, or the shell would go on waiting for it.
  func stopProcess(wholeGroup: Bool) {
    if wholeGroup {
      signal(SIGTSTP, SIG_IGN)
      kill(0, SIGTSTP)
    }
    cncurses_default_signal(SIGTSTP)
    // To this thread: the process stops before the call returns. An orphaned group is not stopped at all.
    pthread_kill(pthread_self(), SIGTSTP)
    cncurses_catch_signal(SIGTSTP)
  }
}

/// Ends a session's wait from another thread.
///
/// Several wakes before the session reads them count as one. Safe to call at any time, also after the session ended.
public final class TerminalWaker: Sendable {
  let descriptor: Int32
  private let writingEnd: Int32

  init() throws(TerminalError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("no pipe to wake the session") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  /// Has the session's thread return from its wait. Any thread and a signal handler may call it.
  public func wake() {
    var byte: UInt8 = 1
    // It fails only when the pipe is full, and then the session is awake.
    _ = write(writingEnd, &byte, 1)
  }

  /// Consumes the wakes that have come.
  func clear() {
    var bytes: [UInt64] = [0, 0, 0, 0, 0, 0, 0, 0]
    while read(descriptor, &bytes, 64) > 0 {}
  }
}
