import ArgumentParser
import Glibc
import Logging
import Measurement
import Report
import Store
import Synchronization
import Threads

/// The log of long-running commands: lines on stderr, written by a thread of its own, so that nothing waits for whoever reads them.
enum DaemonLog {
  static func logger(_ label: String, _ options: LogOptions = LogOptions.standard) -> Logger {
    let format = options.logFormat
    _ = BackgroundOutput.begin(STDERR_FILENO, name: "log") { missingLines($0, label, format) }
    var logger = Logger(label: label) { handler($0, format, LogStream()) }
    logger.logLevel = options.logLevel.level
    return logger
  }

  /// Lines that nobody read in time, and that are in no log of this process.
  static var droppedLines: UInt64 { BackgroundOutput.writer(of: STDERR_FILENO)?.dropped ?? 0 }

  private static func handler(
    _ label: String, _ format: LogOptions.Format, _ stream: any TextOutputStream & Sendable
  ) -> any LogHandler {
    switch format {
    case .text:
      EscapingLogHandler(StreamLogHandler(label: label, stream: stream, metadataProvider: nil))
    case .json, .journal: LineLogHandler(label: label, format: format, stream: stream)
    }
  }

  /// The line that stands where others are missing.
  private static func missingLines(_ count: Int, _ label: String, _ format: LogOptions.Format) -> String {
    let collected = CollectedText()
    let logger = Logger(label: label) { handler($0, format, collected) }
    logger.warning(
      "\(CountText.text(count, "line was", plural: "lines were")) not written: nobody read the log, or it could not take them"
    )
    return collected.line
  }
}

/// Passes lines on to the thread that writes the log.
private struct LogStream: TextOutputStream, Sendable {
  /// - Parameter string: a line with its line break.
  func write(_ string: String) {
    let line = string.hasSuffix("\n") ? String(string.dropLast()) : string
    if let writer = BackgroundOutput.writer(of: STDERR_FILENO) {
      writer.write(line)
    } else {
      StandardError.write(line)
    }
  }
}

/// Keeps what is written to it.
private final class CollectedText: TextOutputStream, Sendable {
  private let text = Mutex("")

  func write(_ string: String) { text.withLock { $0 += string } }

  /// The text without its line break.
  var line: String { text.withLock { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 } }
}

/// `--log-format` and `--log-level`, for every command that runs long.
struct LogOptions: ParsableArguments {
  /// Shape of a log line on stderr.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    /// Time, level, label and message.
    case text
    /// One JSON object per line: `at`, `level`, `label`, `message`.
    case json
    /// The level as `<N>` (sd-daemon(3)), label and message; the journal adds the time.
    case journal
  }

  /// The least severe level that is logged.
  enum Level: String, ExpressibleByArgument, CaseIterable {
    case debug, info, notice, warning, error

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
  }

  @Option(help: "Lines of the log on stderr: text, json, or journal (with priorities for systemd).")
  var logFormat = Format.text

  @Option(help: "The least severe level that is logged: debug, info, notice, warning or error.")
  var logLevel = Level.info

  /// Does a command's work. In the formats for programs, what ends it is a line of the log, too.
  /// - Throws: `ExitCode` where the error is in the log, else the error.
  func loggingFailures(_ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch  where logFormat != .text && !(error is ExitCode) && !(error is ValidationError) {
      let failure = CommandFailure(describing: error)
      let logger = DaemonLog.logger("pushscope", self)
      for line in failure.message.split(separator: "\n") { logger.error("\(line)") }
      throw ExitCode(failure.exitStatus.rawValue)
    }
  }

  /// The options of commands that do not offer them.
  static var standard: LogOptions {
    var options = LogOptions()
    options.logFormat = .text
    options.logLevel = .info
    return options
  }
}

/// Writes each message as one line for a program: JSON, or with a priority for the journal.
struct LineLogHandler: LogHandler {
  let label: String
  let format: LogOptions.Format
  private let stream: any TextOutputStream & Sendable
  var logLevel = Logger.Level.info
  var metadata = Logger.Metadata()

  init(label: String, format: LogOptions.Format, stream: any TextOutputStream & Sendable) {
    self.label = label
    self.format = format
    self.stream = stream
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let message = EscapedText.make("\(event.message)")
    var stream = stream
    switch format {
    case .json:
      let at = SystemClock().wallNow().rfc3339
      stream.write(
        "{\"at\":\(JSONText.quoted(at)),\"level\":\(JSONText.quoted(event.level.rawValue)),"
          + "\"label\":\(JSONText.quoted(label)),\"message\":\(JSONText.quoted(message))}\n")
    case .text, .journal:
      stream.write("<\(Self.priority(event.level))>\(label): \(message)\n")
    }
  }

  /// The level as a priority of syslog(3).
  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}

/// Escapes control characters: messages may quote untrusted text.
struct EscapingLogHandler: LogHandler {
  private var handler: any LogHandler

  init(_ handler: any LogHandler) { self.handler = handler }

  var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    var event = event
    event.message = Logger.Message(stringLiteral: EscapedText.make("\(event.message)"))
    handler.log(event: event)
  }
}

/// Logs at intervals the planned and the achieved rates of a run's targets, read from the store.
final class RateProgress: Sendable {
  /// The first line comes early, for people who watch the start.
  private static let first = Duration.seconds(10)
  private static let interval = Duration.seconds(60)

  private let store: String
  private let logger: Logger
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(store: String, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  /// Starts for a run that has begun.
  func begin(_ run: RunID) {
    let following = Task { [self] in
      var pause = Self.first
      while (try? await Task.sleep(for: pause)) != nil {
        logRun(run)
        pause = Self.interval
      }
    }
    task.withLock { task in
      task?.cancel()
      task = following
    }
  }

  /// Whether a run is being followed.
  var isFollowing: Bool { task.withLock { $0 != nil } }

  /// Logs the final rates of a run and ends.
  func end(_ run: RunID) {
    task.withLock { task in
      task?.cancel()
      task = nil
    }
    logRun(run)
  }

  private func logRun(_ run: RunID) {
    do {
      let reader = try StoreReader.open(at: store)
      defer { reader.close() }
      let silence = try reader.unrecorded(of: run, at: SystemClock().wallNow())
      for line in try RatesReport.lines(of: run, in: reader, unrecorded: silence) { logger.info("\(line)") }
    } catch {
      logger.warning("the rates of the run cannot be read from the store: \(error)")
    }
  }
}
