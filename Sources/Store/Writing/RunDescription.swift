import Measurement

/// A run to register.
public struct RunDescription: Sendable, Equatable {
  public var id: RunID
  /// From `--run-name`.
  public var name: String?
  public var startedAt: WallTime
  public var startedMonotonic: MonotonicTime
  /// The kernel's boot id: monotonic times are comparable within one boot only.
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

/// A target of a run as configured when the run began.
public struct TargetDescription: Sendable, Equatable {
  /// Unique within the run.
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the schedule asks for.
  public var askedRate: Double
  /// The combinations of listed values (`priority=10,push_type=alert`); empty if the target lists none.
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

/// The ids that the store assigned to a run's targets and variants.
public struct RunRegistration: Sendable, Equatable {
  public var run: RunID
  /// In the order of their names (as bytes), which is the order of their ids.
  public var targets: [RegisteredTarget]

  public subscript(name: String) -> RegisteredTarget? { targets.first { $0.name == name } }
}

/// A target with its id in this run.
public struct RegisteredTarget: Sendable, Equatable {
  public var id: TargetID
  public var name: String
  /// One for each of ``TargetDescription/variants``, in their order.
  public var variants: [VariantID]
}

/// Why a run ended: the `end_reason` of the `runs` table.
public enum RunEndReason: String, Sendable, Hashable, CaseIterable {
  /// The requested count or duration was reached.
  case completed
  /// By a signal or a command.
  case stopped
  /// The collector ended with an error.
  case failed
  /// The collector crashed; set by recovery at the next start.
  case interrupted
}
