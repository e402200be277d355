/// What the machinery of a run did to its own figures: how late it sent, how late its thread woke, how long its
/// commits took. Written with the run's commits, so that a run that was killed has them too.
public struct InstrumentFigures: Sendable, Equatable {
  /// Delays of one kind, µs.
  public struct Lag: Sendable, Equatable {
    /// How many were looked at.
    public var count: Int64
    public var median: Int64
    public var p99: Int64
    public var maximum: Int64

    public init(count: Int64 = 0, median: Int64 = 0, p99: Int64 = 0, maximum: Int64 = 0) {
      self.count = count
      self.median = median
      self.p99 = p99
      self.maximum = maximum
    }
  }

  /// The host the collector ran on, as it calls itself.
  public var host: String
  /// Planned → sent, over all targets; waits for a place on the connection are in it.
  public var scheduleLag: Lag
  /// How late the timing thread woke for an instant it had asked for.
  public var loopLag: Lag
  public var commits: Int64
  /// µs.
  public var longestCommit: Int64
  /// Commits that took longer than 100 ms.
  public var commitStalls: Int64

  public init(
    host: String, scheduleLag: Lag = Lag(), loopLag: Lag = Lag(), commits: Int64 = 0,
    longestCommit: Int64 = 0, commitStalls: Int64 = 0
  ) {
    self.host = host
    self.scheduleLag = scheduleLag
    self.loopLag = loopLag
    self.commits = commits
    self.longestCommit = longestCommit
    self.commitStalls = commitStalls
  }
}
