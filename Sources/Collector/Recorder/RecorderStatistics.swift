import Measurement

/// What recording itself cost: part of the tool's own error.
public struct RecorderStatistics: Sendable, Equatable {
  public var commits = 0
  public var rows = 0
  /// Of one commit.
  public var longestCommit: Duration = .zero
  /// Commits that took longer than ``stall``.
  public var stalls = 0

  /// A commit longer than this keeps rows from readers for longer than promised.
  public static let stall = Duration.milliseconds(100)

  public init() {}

  mutating func note(rows count: Int, took duration: Duration) {
    commits += 1
    rows += count
    longestCommit = max(longestCommit, duration)
    if duration > Self.stall { stalls += 1 }
  }
}
