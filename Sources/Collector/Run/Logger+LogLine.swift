import Logging
import Measurement

extension Logger {
  /// Says a line of the run's log in the daemon's own output too, debug lines left out unless asked for. What a
  /// provider or a library put into it is shown harmlessly.
  func log(_ line: LogLine) {
    log(level: line.level.loggerLevel, "\(HarmlessText.make("\(line.label): \(line.message)"))")
  }
}

extension LogLine.Level {
  fileprivate var loggerLevel: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}
