import Measurement

/// What a collector tells the store when a run begins.
public struct RunDescription: Sendable, Equatable {
  public var id: RunID
  /// Given by people (`--run-name`).
  public var name: String?
  public var startedAt: WallTime
  public var startedMonotonic: MonotonicTime
  /// The kernel's boot id: monotonic times of different boots have nothing to do with each other.
  public var bootID: String
  public var targets: [TargetDescription]

  public init(
    id: RunID, name: String? = nil, startedAt: WallTime, startedMonotonic: MonotonicTime, bootID: String,
    targets: [TargetDescription]
  ) {
    self.id = id
    self.name = name
    self.startedAt = startedAt
    self.startedMonotonic = startedMonotonic
    self.bootID = bootID
    self.targets = targets
  }
}
