import Measurement

/// The place of an event or a log line among those of its run: by its time, and at the same time in the order of writing. What is
/// written about the past, as a note is, stands in the past.
public struct RecordPlace: Sendable, Hashable, Comparable {
  public let at: WallTime
  public let revision: Int64

  public init(at: WallTime, revision: Int64) { (self.at, self.revision) = (at, revision) }

  /// Creates the place after everything up to an instant.
  public init(endOf moment: WallTime) { self.init(at: moment, revision: .max) }

  public static let first = RecordPlace(at: .distantPast, revision: .min)
  public static let last = RecordPlace(endOf: .distantFuture)

  /// The nearest places, which may have no record.
  public var previous: RecordPlace { RecordPlace(at: at, revision: revision - 1) }
  public var next: RecordPlace { RecordPlace(at: at, revision: revision + 1) }

  public static func < (one: RecordPlace, other: RecordPlace) -> Bool {
    (one.at, one.revision) < (other.at, other.revision)
  }
}
