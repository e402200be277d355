public import Configuration
public import Formats
public import Measurement
import Synchronization

/// The terminal dashboard of a store or a fleet, for live and past runs.
public enum Dashboard {
  /// What the command line and the configuration ask for.
  public struct Options: Sendable {
    public var place: DashboardPlace
    /// Planned time to open with; `nil` follows the newest, or begins with the run.
    public var since: WallTime?
    public var until: WallTime?
    /// Length of time to open with; `nil` goes by the run's rate.
    public var window: Duration?
    /// `nil` opens with the histogram.
    public var panel: DashboardPanel?
    /// `nil` shows the newest run, and the next one when it begins.
    public var run: RunID?
    /// Name of the target to show; `nil` shows all.
    public var target: String?
    /// A name or a file; `nil` goes by the configuration, then by the terminal's background, dark where it is unknown.
    public var theme: String?
    /// Draws with ASCII characters only.
    public var ascii = false
    /// Writes lines instead of drawing a screen, as when standard output is no terminal.
    public var plain = false
    /// Time between the reports of a plain dashboard.
    public var plainInterval = Duration.seconds(1)
    /// One report of a plain dashboard, then it ends.
    public var plainOnce = false
    /// TERM, COLORTERM, NO_COLOR, PUSHSCOPE_MOTION and other variables about the terminal.
    public var environment: [String: String]
    /// The section of the configuration; the options above take precedence.
    public var configuration = DashboardConfiguration()
    /// False where another part of the process handles SIGINT, SIGTERM and SIGHUP; it then ends the dashboard with
    /// ``DashboardStop/stop()``.
    public var catchesSignals = true
    public var clock: any HostClock = SystemClock()
    /// Directory of exported files.
    public var exportDirectory = "."
    /// Writes rows of the table `samples`, on a thread of its own; `nil` where samples cannot be exported.
    public var writeSamples: (@Sendable (_ ids: [SampleID], _ sink: any ByteSink) throws -> Void)?

    public init(_ place: DashboardPlace, environment: [String: String]) {
      self.place = place
      self.environment = environment
    }
  }

  /// Why the dashboard ended.
  public enum Outcome: Sendable, Hashable {
    /// The user quit, or a plain dashboard had nothing more to write.
    case quit
    /// SIGINT, SIGTERM, SIGHUP, or ``DashboardStop/stop()``.
    case stopped
    /// The terminal or the reader of the pipe is gone.
    case hangup
  }

  /// Shows the dashboard until it is ended. Blocks the calling thread, which owns the terminal meanwhile; the terminal is
  /// always restored.
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

/// A panel to open with, by the name on its tab.
public enum DashboardPanel: String, Sendable, Hashable, CaseIterable {
  case histogram, log, events, runs, targets, findings
}

/// Ends a dashboard from another thread.
public final class DashboardStop: Sendable {
  private struct State {
    var isStopped = false
    var onStop: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  public init() {}

  /// Makes `Dashboard.run` return soon. May be called at any time, also before it begins.
  public func stop() {
    let action = state.withLock { state in
      state.isStopped = true
      return state.onStop
    }
    action?()
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Sets what wakes the thread of the dashboard.
  func onStop(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onStop = action } }
}

/// Why the dashboard cannot be shown, and the remedy.
public struct DashboardError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Why the dashboard cannot be shown.
  public enum Code: Sendable, Hashable {
    /// `--theme` names no theme and no file.
    case unknownTheme
    /// `PUSHSCOPE_MOTION` has an unknown value.
    case unknownMotion
    /// The run or the target asked for is not in the store.
    case notFound
    /// The store cannot be read, and a plain dashboard does not wait for it.
    case unreadableStore
    /// There is no usable terminal.
    case terminal
    /// The system refused a thread or a descriptor.
    case system
  }

  public let code: Code
  /// What is wrong and where.
  public let message: String
  /// What the user can do.
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
