public import Configuration
public import Formats
public import Measurement

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
