/// A line of the collector's log: a row of the `log` table.
public struct LogLine: Sendable, Equatable {
  public enum Level: String, Sendable, Hashable, CaseIterable {
    case debug, info, notice, warning, error
  }

  public var at: WallTime
  public var level: Level
  public var target: TargetID?
  /// Which part speaks: `transport`, `receipts`, `store`, ….
  public var label: String
  public var message: String

  public init(at: WallTime, level: Level, target: TargetID? = nil, label: String, message: String) {
    self.at = at
    self.level = level
    self.target = target
    self.label = label
    self.message = message
  }
}
