/// What a start found of runs whose collector died, and did about it.
public struct RecoverySummary: Sendable, Equatable {
  public var runs: [RecoveredRun]

  public init(runs: [RecoveredRun] = []) { self.runs = runs }

  public var isEmpty: Bool { runs.isEmpty }
  public var interrupted: Int { runs.reduce(0) { $0 + $1.interrupted } }
  public var removed: Int { runs.reduce(0) { $0 + $1.removed } }
}
