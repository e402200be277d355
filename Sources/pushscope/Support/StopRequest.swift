import Foundation
import Glibc
import Threads
import UnixSignals

/// Waits for a request to stop: SIGINT, SIGTERM, SIGHUP unless it was ignored at the start (`nohup`), or, if wanted, the end
/// of standard input. For a command that can reload, SIGHUP is a request to stop only where its terminal has hung up.
///
/// The first request ends the command in order. A second SIGINT or SIGTERM ends the process at once. A second SIGHUP is
/// ignored: a terminal that closes sends one, and its shell another; systemd may send one right after SIGTERM.
enum StopRequest {
  /// Runs `body`; the first request to stop calls `stop` once.
  /// - Parameter reload: called for each SIGHUP, unless the terminal has hung up; `nil`: SIGHUP is a request to stop.
  static func watch<Value: Sendable>(
    untilInputEnds: Bool, reload: (@Sendable () -> Void)? = nil, stop: @escaping @Sendable () -> Void,
    body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let signals = await UnixSignalsSequence(
      trapping: ProcessSignals.isIgnored(SIGHUP) ? [.sigint, .sigterm] : [.sigint, .sigterm, .sighup])
    let hadTerminal = ControllingTerminal.isThere
    let watching = Task {
      var isStopping = false
      for await signal in signals {
        if signal == .sighup, !isStopping, let reload, !hadTerminal || ControllingTerminal.isThere {
          reload()
          continue
        }
        if isStopping, signal == .sighup { continue }
        if isStopping { _exit(ExitStatus.failed.rawValue) }
        isStopping = true
        stop()
      }
    }
    defer { watching.cancel() }
    if untilInputEnds {
      Task.detached {
        // Without a thread to wait on, the end cannot be noticed: stop at once.
        try? await InputEnd.wait()
        stop()
      }
    }
    return try await body()
  }
}

/// The terminal that a process was started from, whose end is told by SIGHUP.
private enum ControllingTerminal {
  /// Whether there is one. A terminal that hung up is taken away before the signal comes.
  static var isThere: Bool {
    let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}

/// The handling of signals that all commands share. ``StopRequest`` handles those that end a command; the dashboard has its
/// own in addition.
enum ProcessSignals {
  /// Ignores signals that would end a command by accident. To be called once, before anything else.
  ///
  /// - SIGPIPE and SIGXFSZ: the write fails with an error instead.
  /// - SIGUSR1, SIGUSR2 and SIGALRM: pushscope does not use them, and by default they end the process.
  static func ignoreStrays() {
    for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM] { signal(number, SIG_IGN) }
  }

  /// Whether a signal was ignored when the process started, as SIGHUP is under `nohup`.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}

/// Waits for the end of standard input, by which a child of the demonstration notices the end of its parent.
enum InputEnd {
  /// Returns at the end of standard input, or when it cannot be read.
  static func wait() async throws(ThreadError) {
    let ended = FirstResult<Void, Never>()
    try DedicatedThread.start(name: "input end") {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
      ended.finish()
    }
    await ended.value()
  }
}
