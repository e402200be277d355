import Measurement

/// How long rows are kept, and how large a store may become.
public struct RetentionPolicy: Sendable, Equatable {
  /// Kinds without an age are kept for ever.
  public var ages: [RetainedKind: Duration]
  /// Bytes of used pages and of the write-ahead log; `nil` for no limit.
  public var maximumSize: Int64?

  public static let keepAll = RetentionPolicy()

  public init(ages: [RetainedKind: Duration] = [:], maximumSize: Int64? = nil) {
    self.ages = ages
    self.maximumSize = maximumSize
  }

  public var keepsAll: Bool { ages.isEmpty && maximumSize == nil }
}

/// How many rows one transaction deletes, so that none keeps the recorder waiting: the number follows from what the last ones
/// took.
public struct PruneBudget: Sendable, Equatable {
  /// What a transaction should take.
  static let wanted = Duration.milliseconds(20)
  static let range = 20...5_000

  public private(set) var rows = 200

  public init() {}

  /// - Parameter took: how long a transaction took that deleted as many rows as it might.
  public mutating func note(_ took: Duration) {
    let nanoseconds = max(1, took.nanoseconds)
    let fitting = Double(rows) * Double(Self.wanted.nanoseconds) / Double(nanoseconds)
    // Growing slowly and shrinking at once: a checkpoint or a busy disk makes a transaction take many times longer.
    let next = min(Double(rows) * 1.25 + 1, max(Double(rows) / 4, fitting))
    rows = min(Self.range.upperBound, max(Self.range.lowerBound, Int(next)))
  }
}

/// The outcome of one step of pruning.
public struct PruneStep: Sendable, Equatable {
  /// Rows deleted, of all kinds.
  public var rows = 0
  /// Of these, notifications.
  public var samples = 0
  /// Pages given back to the file system.
  public var pages = 0
  /// Notifications planned before are deleted because of the store's size, and were not to be yet by their age.
  public var forcedTo: WallTime?
  /// Whether there is more to do now.
  public var isMore = false

  public init() {}
}
