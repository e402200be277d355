import Measurement

/// An event with where it belongs.
public struct EventRecord: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var event: Event
}

/// A log line with where it belongs.
public struct LogRecord: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var line: LogLine
}

/// A receipt; its sample's id says where it belongs.
public struct ReceiptRecord: Sendable, Equatable {
  public var revision: Int64
  public var receipt: Receipt
}
