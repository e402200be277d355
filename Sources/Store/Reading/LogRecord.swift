import Measurement

/// A log line with where it belongs.
public struct LogRecord: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var line: LogLine
}
