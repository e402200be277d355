import GRDB
import Measurement

/// The time from which the ages of retention count. It follows the wall clock, but not where the wall clock has come further than
/// the time that can have passed.
///
/// A wall clock that is wrong for a moment must not delete what is not old. What became old beyond the time that passed since the
/// last look is held back, until the collector has run with that wall clock for a while.
public struct RetentionClock: Sendable, Equatable {
  /// What the clocks of the host say at a look.
  public struct Reading: Sendable, Equatable {
    public var wall: WallTime
    /// CLOCK_BOOTTIME, which goes on while the host sleeps.
    public var boottime: Duration
    public var bootID: String
    /// Whether the kernel calls the wall clock synchronized.
    public var isSynchronized: Bool

    public init(wall: WallTime, boottime: Duration, bootID: String, isSynchronized: Bool) {
      self.wall = wall
      self.boottime = boottime
      self.bootID = bootID
      self.isSynchronized = isSynchronized
    }
  }

  /// What became old too fast is held back.
  public struct Hold: Sendable, Equatable {
    /// The wall clock when it began.
    public var since: WallTime
    /// How long a collector has run since the wall clock was set last.
    public var ran: Duration
  }

  /// What a look changed.
  public enum Change: Sendable, Equatable {
    /// The wall clock is ahead of the time that can have passed.
    case held(wall: WallTime, expected: WallTime)
    /// The wall clock has lasted, and counts from now on.
    case released(from: WallTime)
    /// The wall clock was set back, or time has caught up with it.
    case corrected
  }

  /// How much further than the time that passed the wall clock may have come: an hour, as a wrong summer time makes it, and five
  /// minutes for drift and for the time between reading the two clocks.
  public static let tolerance = Duration.seconds(3_900)
  /// How long a collector has to run with a wall clock before it counts: where the kernel calls it synchronized, and otherwise.
  public static func trial(isSynchronized: Bool) -> Duration { .seconds(isSynchronized ? 3_600 : 86_400) }
  /// A difference between two looks that is no step of the wall clock, µs.
  private static let smallestStep: Int64 = 500_000

  /// The time from which ages count.
  public private(set) var now: WallTime
  public private(set) var hold: Hold?
  private var wall: WallTime
  private var boottime: Duration
  private var bootID: String

  /// The first look of a store.
  public init(_ reading: Reading) {
    now = reading.wall
    wall = reading.wall
    boottime = reading.boottime
    bootID = reading.bootID
  }

  /// Continues the clock with a reading.
  /// - Parameter isContinuing: whether the same collector took the last one, so that it ran in between.
  public mutating func update(_ reading: Reading, isContinuing: Bool) -> Change? {
    let isSameBoot = reading.bootID == bootID
    let passed = isSameBoot ? max(.zero, reading.boottime - boottime) : .zero
    let step = isSameBoot ? (reading.wall - wall - passed).microseconds : 0
    let isStepped = step.magnitude >= Self.smallestStep.magnitude
    now = now.advanced(byMicroseconds: passed.microseconds)
    // Set back: what counted was wrong.
    if isStepped, step < 0 { now = min(now, reading.wall) }
    (wall, boottime, bootID) = (reading.wall, reading.boottime, reading.bootID)
    guard reading.wall - now > Self.tolerance else {
      // On another boot a clock may be behind until it is set.
      now = max(now, reading.wall)
      defer { hold = nil }
      return hold == nil ? nil : .corrected
    }
    guard var hold else {
      hold = Hold(since: reading.wall, ran: .zero)
      return .held(wall: reading.wall, expected: now)
    }
    if isStepped {
      hold.ran = .zero
    } else if isContinuing {
      hold.ran += passed
    }
    guard hold.ran >= Self.trial(isSynchronized: reading.isSynchronized) else {
      self.hold = hold
      return nil
    }
    defer { (now, self.hold) = (reading.wall, nil) }
    return .released(from: now)
  }
}

extension RetentionClock {
  /// The numbers that a look can have, µs: times until the year 9999, and as long spans.
  private static let possible: ClosedRange<Int64> = 0...253_402_300_799_999_999

  /// The last look; `nil` before the first one, and where what is stored cannot be one.
  static func fetch(_ db: Database) throws -> RetentionClock? {
    let row = try db.cachedRows(
      "SELECT counts_as, wall, boottime_us, boot_id, held_since, held_ran_us FROM retention_look"
    ).first
    return try row.flatMap { try RetentionClock(row: $0) }
  }

  private init?(row: Row) throws {
    let (counts, wall, boottime): (Int64, Int64, Int64) =
      (try row.value(0), try row.value(1), try row.value(2))
    let (since, ran): (Int64?, Int64) = (try row.optional(4), try row.value(5))
    guard [counts, wall, boottime, since ?? 0, ran].allSatisfy(Self.possible.contains) else { return nil }
    now = WallTime(microseconds: counts)
    self.wall = WallTime(microseconds: wall)
    self.boottime = .microseconds(boottime)
    bootID = try row.value(3)
    hold = since.map { Hold(since: WallTime(microseconds: $0), ran: .microseconds(ran)) }
  }

  fileprivate func save(_ db: Database, hasAges: Bool) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO retention_look (one, counts_as, wall, boottime_us, boot_id, held_since, held_ran_us,
          has_ages)
        VALUES (1, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      now.microseconds, wall.microseconds, boottime.microseconds, bootID, hold?.since.microseconds,
      hold?.ran.microseconds ?? 0, hasAges,
    ])
  }
}

extension CollectorStore {
  /// Continues the stored clock with a reading, and stores it.
  /// - Parameters:
  ///   - isContinuing: whether this collector took the last one.
  ///   - hasAges: whether anything is to be deleted by its age, so that readers are told when some of it is held back.
  /// - Throws: ``StoreError``.
  public func updateRetentionClock(to reading: RetentionClock.Reading, isContinuing: Bool, hasAges: Bool)
    throws -> (
      clock: RetentionClock, change: RetentionClock.Change?
    )
  {
    var result = (clock: RetentionClock(reading), change: RetentionClock.Change?.none)
    try transaction { db, _ in
      if var last = try RetentionClock.fetch(db) {
        result.change = last.update(reading, isContinuing: isContinuing)
        result.clock = last
      }
      try result.clock.save(db, hasAges: hasAges)
    }
    return result
  }
}
