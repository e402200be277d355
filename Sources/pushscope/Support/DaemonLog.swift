import Logging
import Measurement

/// The log of long-running commands: lines on stderr, as systemd and people expect them.
enum DaemonLog {
  static func logger(_ label: String) -> Logger {
    var logger = Logger(label: label) { EscapingLogHandler(StreamLogHandler.standardError(label: $0)) }
    logger.logLevel = .info
    return logger
  }
}

/// Shows what would act on a terminal: a message may quote paths, names and what others have written.
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
