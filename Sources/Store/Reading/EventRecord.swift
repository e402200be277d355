import Measurement

/// An event with where it belongs.
public struct EventRecord: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var event: Event
}
