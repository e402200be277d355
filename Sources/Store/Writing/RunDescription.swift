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

/// One target of a run as its configuration had it when the run began.
public struct TargetDescription: Sendable, Equatable {
  /// Unique within the run.
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the schedule asks for.
  public var askedRate: Double
  /// The combinations of listed values (`priority=10,push_type=alert`); empty when nothing is listed.
  public var variants: [String]

  public init(
    name: String, provider: String, receiptDeadline: Int64?, askedRate: Double, variants: [String] = []
  ) {
    self.name = name
    self.provider = provider
    self.receiptDeadline = receiptDeadline
    self.askedRate = askedRate
    self.variants = variants
  }
}

/// The numbers the store gave a run's targets and variants.
public struct RunRegistration: Sendable, Equatable {
  public var run: RunID
  /// In the order of their names (as bytes), which is that of their ids.
  public var targets: [RegisteredTarget]

  public subscript(name: String) -> RegisteredTarget? { targets.first { $0.name == name } }
}

/// A target with its number in this run.
public struct RegisteredTarget: Sendable, Equatable {
  public var id: TargetID
  public var name: String
  /// One for each of ``TargetDescription/variants``, in their order.
  public var variants: [VariantID]
}

/// Why a run ended: the `end_reason` of the `runs` table.
public enum RunEndReason: String, Sendable, Hashable, CaseIterable {
  /// The count or duration that was asked for is reached.
  case completed
  /// Somebody asked for it: a signal, a command.
  case stopped
  /// The collector could not go on, and said so.
  case failed
  /// The collector died; noticed at the next start.
  case interrupted
}
