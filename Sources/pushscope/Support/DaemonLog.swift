import Logging

/// The log of long-running commands: lines on stderr, as systemd and people expect them.
enum DaemonLog {
  static func logger(_ label: String) -> Logger {
    var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .info
    return logger
  }
}
