import Logging
import Measurement
import Report
import Store
import Synchronization

/// The log of long-running commands: lines on stderr.
enum DaemonLog {
  static func logger(_ label: String) -> Logger {
    var logger = Logger(label: label) { EscapingLogHandler(StreamLogHandler.standardError(label: $0)) }
    logger.logLevel = .info
    return logger
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
        tell(run)
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
    tell(run)
  }

  private func tell(_ run: RunID) {
    do {
      let reader = try StoreReader.open(at: store)
      defer { reader.close() }
      for line in try RatesReport.lines(of: run, in: reader) { logger.info("\(line)") }
    } catch {
      logger.warning("the rates of the run cannot be read from the store: \(error)")
    }
  }
}
