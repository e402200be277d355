public import Configuration
public import Formats
public import Measurement
import Synchronization

/// The terminal dashboard: on a store, live or past.
public enum Dashboard {
  public struct Options: Sendable {
    public var storePath: String
    /// `nil` shows the newest run, and the next one when it begins.
    public var run: RunID?
    /// By name; `nil` shows all.
    public var target: String?
    /// A name or a file; `nil` goes by the configuration, then by the terminal's background, dark where that is not
    /// known.
    public var theme: String?
    /// Nothing but ASCII characters.
    public var ascii = false
    /// Lines instead of a screen. Also when standard output is no terminal.
    public var plain = false
    /// TERM, COLORTERM, NO_COLOR, PUSHSCOPE_MOTION and what else says something about the terminal.
    public var environment: [String: String]
    /// The section of the configuration; what is said above goes before it.
    public var configuration = DashboardConfiguration()
    /// False where another part of the process listens for SIGINT, SIGTERM and SIGHUP; it then ends the dashboard
    /// with ``DashboardStop/stop()``.
    public var catchesSignals = true
    public var clock: any HostClock = SystemClock()
    /// Where files are written that a person asks for.
    public var exportDirectory = "."
    /// Writes some rows of the table `samples`. Called on a thread of its own; `nil` where the dashboard cannot export
    /// samples.
    public var writeSamples: (@Sendable (_ ids: [SampleID], _ sink: any ByteSink) throws -> Void)?

    public init(storePath: String, environment: [String: String]) {
      self.storePath = storePath
      self.environment = environment
    }
  }

  /// How it came to an end.
  public enum Outcome: Sendable, Hashable {
    /// Somebody pressed `q`, or there was nothing more to say.
    case quit
    /// SIGINT, SIGTERM, SIGHUP, or whoever holds the ``DashboardStop``.
    case stopped
    /// The terminal, or the reader of the pipe, is gone.
    case hangup
  }

  /// Shows the dashboard until somebody ends it. Blocks the calling thread, which becomes the one that owns the
  /// terminal; the terminal is given back in any case.
  /// - Throws: ``DashboardError``.
  public static func run(_ options: Options, stop: DashboardStop = DashboardStop()) throws(DashboardError)
    -> Outcome
  {
    let settings = try DashboardSettings(options)
    if settings.isPlain {
      return try PlainDashboard(settings: settings, stop: stop).run()
    }
    return try DashboardLoop(settings: settings, stop: stop).run()
  }
}

/// Ends a dashboard from another thread.
public final class DashboardStop: Sendable {
  private struct State {
    var isStopped = false
    var onStop: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  public init() {}

  /// Has `Dashboard.run` return soon. May be called at any time, also before it begins.
  public func stop() {
    let action = state.withLock { state in
      state.isStopped = true
      return state.onStop
    }
    action?()
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// What wakes the thread that is to look.
  func onStop(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onStop = action } }
}

/// Why the dashboard cannot be shown, and what to do.
public struct DashboardError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// `--theme` names none that exists.
    case unknownTheme
    /// `PUSHSCOPE_MOTION` is none of its values.
    case unknownMotion
    /// The run or the target asked for is not in the store.
    case notFound
    /// The store cannot be read, and there is nobody to wait for it to get better.
    case unreadableStore
    /// There is no terminal that could be drawn on.
    case terminal
    /// The system refused a thread or a descriptor.
    case system
  }

  public let code: Code
  /// What is wrong and where.
  public let message: String
  /// What to do.
  public let remedy: String

  public init(code: Code, message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(message); \(remedy)" }

  static func unknownTheme(_ name: String) -> DashboardError {
    let names = Theme.all.map(\.name).joined(separator: ", ")
    return DashboardError(
      code: .unknownTheme, message: "there is no theme '\(name)'",
      remedy: "choose one of \(names), one of your own in themes/ beside the configuration, or name its file")
  }

  static func unknownMotion(_ value: String) -> DashboardError {
    DashboardError(
      code: .unknownMotion, message: "PUSHSCOPE_MOTION is '\(value)'", remedy: "set it to none, basic or full"
    )
  }
}
