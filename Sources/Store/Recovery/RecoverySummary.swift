import Measurement

/// What a start found of runs whose collector died, and did about it.
public struct RecoverySummary: Sendable, Equatable {
  public var runs: [RecoveredRun]

  public init(runs: [RecoveredRun] = []) { self.runs = runs }

  public var isEmpty: Bool { runs.isEmpty }
  public var interrupted: Int { runs.reduce(0) { $0 + $1.interrupted } }
  public var removed: Int { runs.reduce(0) { $0 + $1.removed } }
}

/// A run that nobody had closed.
public struct RecoveredRun: Sendable, Equatable {
  public var run: RunID
  /// Notifications whose end will not be known, unless a receipt comes.
  public var interrupted: Int
  /// Plans whose time had not come, so that they were never due.
  public var removed: Int

  public init(run: RunID, interrupted: Int, removed: Int) {
    self.run = run
    self.interrupted = interrupted
    self.removed = removed
  }
}
