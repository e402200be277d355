import Measurement

/// How long rows are kept, and how large a store may become.
public struct RetentionPolicy: Sendable, Equatable {
  /// Kinds without an age are kept for ever.
  public var ages: [RetainedKind: Duration]
  /// Bytes of the pages that stay used once the write-ahead log is in the file; `nil` for no limit.
  public var maximumSize: Int64?

  /// Whether rows stay until they are forwarded to a fleet, unless ``maximumSize`` or a person asks for their deletion.
  public var keepsWhatIsNotForwarded: Bool

  public static let keepAll = RetentionPolicy()

  public init(
    ages: [RetainedKind: Duration] = [:], maximumSize: Int64? = nil, keepsWhatIsNotForwarded: Bool = false
  ) {
    self.ages = ages
    self.maximumSize = maximumSize
    self.keepsWhatIsNotForwarded = keepsWhatIsNotForwarded
  }

  public var keepsAll: Bool { ages.isEmpty && maximumSize == nil }
}

/// How long one transaction of pruning deletes before it commits, so that none keeps the recorder waiting: it follows from how
/// long the last ones had the store.
///
/// A commit takes the longer the more pages it has to write, and a checkpoint or a busy disk makes it many times longer. Neither
/// is known before, so that only the past can say how much of the time is left for deleting.
public struct PruneBudget: Sendable, Equatable {
  /// How long a transaction should have the store, its commit included.
  static let wanted = Duration.milliseconds(20)
  static let range = Duration.microseconds(500) ... .milliseconds(15)

  /// What may be spent on deleting.
  public private(set) var time = Duration.milliseconds(2)

  public init() {}

  /// - Parameter held: how long the last transaction had the store, its commit included.
  public mutating func record(_ held: Duration) {
    let fitting =
      Double(time.nanoseconds) * Double(Self.wanted.nanoseconds) / Double(max(1, held.nanoseconds))
    // Growing slowly and shrinking at once.
    let next = min(Double(time.nanoseconds) * 1.25, max(Double(time.nanoseconds) / 4, fitting))
    time = min(Self.range.upperBound, max(Self.range.lowerBound, .nanoseconds(Int64(next))))
  }
}

/// The outcome of one step of pruning.
public struct PruneStep: Sendable, Equatable {
  /// Rows deleted, of all kinds.
  public var rows = 0
  /// How many of the deleted rows are notifications.
  public var samples = 0
  /// Pages given back to the file system.
  public var pages = 0
  /// How long its transaction had the store, the commit included; zero without one.
  public var held = Duration.zero
  /// What is deleted because of the store's size, in words: it was not to be yet by its age, or waits for the fleet.
  public var forced: String?
  /// Whether there is more to do now.
  public var isMore = false
  /// Something is to be deleted, and is not, because the write-ahead log is pinned: it would grow, and nothing would shrink.
  public var isWaiting = false

  public init() {}
}
