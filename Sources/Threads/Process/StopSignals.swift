/// Decides what each signal means that can end a command.
public struct StopSignals: Sendable {
  /// The signals, by their names.
  public enum Signal: String, Sendable, Hashable {
    case interrupt = "SIGINT"
    case terminate = "SIGTERM"
    case hangup = "SIGHUP"
  }

  /// What a command does after a signal.
  public enum Action: Sendable, Hashable {
    /// Reads its configuration again.
    case reload
    /// Ends in order.
    case stop
    /// Ends at once.
    case abort
    case ignore
  }

  /// Stop signals this close together are one: `timeout` and supervisors signal a process and its group, a terminal that closes
  /// sends one signal and its shell another.
  public static let oneStop = Duration.milliseconds(500)

  /// When the first request to stop came.
  private var stopped: Duration?

  public init() {}

  /// - Parameters:
  ///   - now: on a clock that is never set.
  ///   - hangupReloads: whether SIGHUP asks for a reload.
  public mutating func action(for signal: Signal, at now: Duration, hangupReloads: Bool) -> Action {
    guard let stopped else {
      if signal == .hangup, hangupReloads { return .reload }
      stopped = now
      return .stop
    }
    // systemd may send SIGHUP right after SIGTERM, and a shell its own later.
    return signal == .hangup || now - stopped <= Self.oneStop ? .ignore : .abort
  }
}
