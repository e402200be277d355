import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as something to look at, and SIGPIPE as an error of `write`, for as long as this lives.
struct EndSignals: ~Copyable {
  private static let caught = [SIGINT, SIGTERM, SIGHUP]
  private static let hasCome = Atomic<Bool>(false)
  /// What the handler writes to.
  private static let descriptor = Atomic<Int32>(-1)

  private var replaced: [(signal: Int32, action: sigaction)] = []

  /// - Parameter alarm: rings when a signal comes.
  init(ringing alarm: Alarm, catchesEnd: Bool) {
    Self.hasCome.store(false, ordering: .relaxed)
    Self.descriptor.store(alarm.descriptor, ordering: .relaxed)
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    install(ignoring, for: SIGPIPE)
    guard catchesEnd else { return }
    var action = sigaction()
    // Async-signal-safe: two atomics and a write.
    action.__sigaction_handler.sa_handler = { _ in
      EndSignals.hasCome.store(true, ordering: .relaxed)
      Alarm.ring(EndSignals.descriptor.load(ordering: .relaxed))
    }
    for signal in Self.caught { install(action, for: signal) }
  }

  private mutating func install(_ action: sigaction, for signal: Int32) {
    var action = action
    var before = sigaction()
    if sigaction(signal, &action, &before) == 0 { replaced.append((signal, before)) }
  }

  /// Whether one has come.
  var haveCome: Bool { Self.hasCome.load(ordering: .relaxed) }

  deinit {
    for entry in replaced {
      var before = entry.action
      sigaction(entry.signal, &before, nil)
    }
  }
}
