import Foundation
import Glibc
import Logging
import Synchronization
import Threads
import UnixSignals

/// Waits for a request to stop: SIGINT, SIGTERM, SIGHUP unless it was ignored at the start (`nohup`), or, if wanted, the end
/// of standard input. For a command that can reload, SIGHUP is a request to stop only where its terminal has hung up.
///
/// The first request ends the command in order, a later one ends the process at once (``StopSignals``). What a command still prints
/// when its work is over, a reader may stall: then a request ends the process, too.
enum StopRequest {
  /// Runs `body`; the first request to stop calls `stop` once.
  /// - Parameters:
  ///   - logger: told when the process ends at once.
  ///   - reload: called for each SIGHUP, unless the terminal has hung up; `nil`: SIGHUP is a request to stop.
  static func watch<Value: Sendable>(
    _ logger: Logger, untilInputEnds: Bool = false, reload: (@Sendable () -> Void)? = nil,
    stop: @escaping @Sendable () -> Void, body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let signals = await UnixSignalsSequence(
      trapping: ProcessSignals.isIgnored(SIGHUP) ? [.sigint, .sigterm] : [.sigint, .sigterm, .sighup])
    let hadTerminal = ControllingTerminal.isThere
    let isOver = Flag()
    // To the end of the process: nothing else handles these signals any more.
    Task {
      var decisions = StopSignals()
      let start = SuspendingClock.now
      for await signal in signals {
        guard let signal = StopSignals.Signal(signal) else { continue }
        let reloads = reload != nil && (!hadTerminal || ControllingTerminal.isThere)
        switch decisions.action(for: signal, at: SuspendingClock.now - start, hangupReloads: reloads) {
        case .reload where !isOver.isSet: reload?()
        case .stop where isOver.isSet:
          try? await Task.sleep(for: outputLimit)
          end(by: signal)
        case .stop: stop()
        case .reload, .ignore: break
        case .abort: abort(logger, signal)
        }
      }
    }
    defer { isOver.set() }
    if untilInputEnds {
      Task.detached {
        // Without a thread to wait on, the end cannot be noticed: stop at once.
        try? await InputEnd.wait()
        stop()
      }
    }
    return try await body()
  }

  /// How long the last output may take after a signal.
  private static let outputLimit = Duration.seconds(1)

  /// Something that happens once.
  private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  /// Ends the process as the signal would by itself.
  private static func end(by signal: StopSignals.Signal) -> Never {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal.number)
    Glibc.signal(signal.number, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(signal.number)
    _exit(128 + signal.number)
  }

  private static func abort(_ logger: Logger, _ signal: StopSignals.Signal) -> Never {
    logger.error("\(signal.rawValue) while it was ending: ended at once, and what was open is left as it is")
    BackgroundOutput.finish()
    _exit(ExitStatus.failed.rawValue)
  }
}

extension StopSignals.Signal {
  fileprivate var number: Int32 {
    switch self {
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .hangup: SIGHUP
    }
  }

  /// - Returns: `nil` for a signal that ends no command.
  fileprivate init?(_ signal: UnixSignal) {
    switch signal {
    case .sigint: self = .interrupt
    case .sigterm: self = .terminate
    case .sighup: self = .hangup
    default: return nil
    }
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
