/// A target of one run, numbered by the store; a later run of the same target gets another number. 22 bits.
public struct TargetID: RawRepresentable, Sendable, Hashable, Comparable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// How many targets, over all runs, one store can number.
  public static let maximum = TargetID(rawValue: (1 << 22) - 1)

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Which planned notification: the target of a run and the sequence number, which starts at 1, packed into the 62
/// bits that the store uses as the row's key and the notification's UUID carries over the wire.
public struct SampleID: RawRepresentable, Sendable, Hashable, Comparable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public init(target: TargetID, sequence: Int64) {
    rawValue = target.rawValue << Self.sequenceBits | (sequence & Self.sequenceMask)
  }

  public static let sequenceBits: Int64 = 40
  public static let sequenceMask: Int64 = (1 << 40) - 1

  public var target: TargetID { TargetID(rawValue: rawValue >> Self.sequenceBits) }

  public var sequence: Int64 { rawValue & Self.sequenceMask }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
