import Logging
import Measurement
import Store

extension Logger {
  /// Says a line of the run's log in the daemon's own output too, debug lines left out unless asked for. What a
  /// provider or a library put into it is shown harmlessly.
  /// - Parameter target: the name of the line's target.
  func log(_ line: LogLine, target: String?) {
    let subject = target.map { "\(line.label): \($0)" } ?? line.label
    log(
      level: Logger.Level(rawValue: line.level.rawValue) ?? .info,
      "\(EscapedText.make("\(subject): \(line.message)"))")
  }
}
