import GRDB
import Measurement

/// The length of planned time that one rollup covers. Raw values are seconds, and the store's.
public enum RollupSpan: Int, Sendable, Hashable, CaseIterable {
  case second = 1
  case minute = 60
  case hour = 3600

  /// µs.
  public var microseconds: Int64 { Int64(rawValue) * 1_000_000 }
  public var length: Duration { .seconds(rawValue) }

  /// The next finer span, which this one is summed from; `nil` for seconds, which are summed from notifications.
  public var part: RollupSpan? {
    switch self {
    case .second: nil
    case .minute: .second
    case .hour: .minute
    }
  }

  /// The start of the span that contains an instant; both in seconds since 1970.
  public func start(of second: Int64) -> Int64 {
    let length = Int64(rawValue)
    return second.flooringDivision(by: length).multipliedClamped(by: length)
  }

  /// The start of the span that contains an instant, in integer arithmetic: it is called for single notifications.
  public func start(of time: WallTime) -> WallTime {
    WallTime(
      microseconds: time.microseconds.flooringDivision(by: microseconds).multipliedClamped(by: microseconds))
  }

  /// The first second since 1970 that begins at or after an instant.
  public static func firstWholeSecond(_ time: WallTime) -> Int64 {
    WallTime(microseconds: max(time.microseconds, .min + 1) - 1).seconds + 1
  }
}

/// A range of whole spans of one length, in seconds since 1970.
public struct RollupStretch: Sendable, Equatable {
  public var span: RollupSpan
  public var start: Int64
  /// Excluded.
  public var end: Int64
}

extension RollupSpan {
  /// Divides a range of seconds into whole spans of this length, as far as there are any, and the rest at its ends into finer ones.
  ///
  /// - Parameters:
  ///   - finest: length of spans that are not divided further.
  ///   - coveredTo: end of what there is of a length.
  public func stretches(
    from start: Int64, to end: Int64, finest: RollupSpan = .second,
    coveredTo: (RollupSpan) -> Int64 = { _ in .max }
  ) -> [RollupStretch] {
    guard start < end else { return [] }
    guard self != finest, let part else { return [RollupStretch(span: self, start: start, end: end)] }
    func finer(_ start: Int64, _ end: Int64) -> [RollupStretch] {
      part.stretches(from: start, to: end, finest: finest, coveredTo: coveredTo)
    }
    let first = self.start(of: start) == start ? start : self.start(of: start) + Int64(rawValue)
    let last = min(self.start(of: end), coveredTo(self))
    guard first < last else { return finer(start, end) }
    return finer(start, first) + [RollupStretch(span: self, start: first, end: last)] + finer(last, end)
  }
}

/// The primary key of a rollup, in the order of the table.
struct RollupKey: Hashable, Comparable {
  var span: RollupSpan
  /// Seconds since 1970.
  var start: Int64
  var target: TargetID
  var variant: VariantID

  static func < (a: Self, b: Self) -> Bool {
    (a.span.rawValue, a.start, a.target.rawValue, a.variant.rawValue)
      < (b.span.rawValue, b.start, b.target.rawValue, b.variant.rawValue)
  }
}

/// The end of the rolled-up planned time, per span, in seconds since 1970 (whole spans). Rollups before a watermark are
/// updated by every transaction that changes a row; after it there are only notifications.
struct RollupWatermarks: Sendable, Equatable {
  private(set) var second = Int64.min
  private(set) var minute = Int64.min
  private(set) var hour = Int64.min
  /// What retention has deleted.
  private var pruned = PrunedSpans()

  /// `.min` before the first rollup.
  subscript(span: RollupSpan) -> Int64 {
    switch span {
    case .second: second
    case .minute: minute
    case .hour: hour
    }
  }

  private mutating func set(_ span: RollupSpan, _ mark: Int64) {
    switch span {
    case .second: second = mark
    case .minute: minute = mark
    case .hour: hour = mark
    }
  }

  /// Whether there are rollups of whole minutes or hours to write.
  var areCoarseSpansBehind: Bool {
    guard second > .min else { return false }
    let wholeMinutes = RollupSpan.minute.start(of: second)
    guard minute >= wholeMinutes else { return true }
    return hour < RollupSpan.hour.start(of: minute)
  }

  /// The first second whose rollups of a span are not deleted; `.min` where none are.
  func first(_ span: RollupSpan) -> Int64 {
    pruned[RetainedKind(span)].map(\.seconds) ?? .min
  }

  /// The first second whose notifications are not deleted; `.min` where none are.
  var firstSample: Int64 { pruned.samples.map(\.seconds) ?? .min }

  /// The seconds of a range of planned time to read rollups of, as far as there are any. Empty where nothing is rolled up.
  ///
  /// Whole rollups of the finest length that is left: what the range has beyond them at its ends is read from the notifications.
  /// Where those are deleted, all of a rollup is read that the range has a part of: nothing else tells of it.
  func seconds(from start: WallTime?, to end: WallTime?) -> Range<Int64> {
    var first = WallTime.distantPast.seconds + 1
    if let start {
      let second = start.seconds
      first = second < firstSample ? max(first, second) : roundedUp(RollupSpan.firstWholeSecond(start))
    }
    var last = Int64.max
    if let end {
      let second = end.seconds
      last = second < firstSample ? RollupSpan.firstWholeSecond(end) : finest(at: second).start(of: second)
    }
    return first..<max(first, min(last, second))
  }

  /// The finest rollups that are left from a second on.
  private func finest(at second: Int64) -> RollupSpan {
    RollupSpan.allCases.first { second >= first($0) } ?? .hour
  }

  private func roundedUp(_ second: Int64) -> Int64 {
    let span = finest(at: second)
    let start = span.start(of: second)
    return start == second ? second : start + Int64(span.rawValue)
  }

  /// The seconds of the times that can be written. A mark beyond them is wrong: the rollups are made again.
  private static let possible =
    WallTime.distantPast.seconds + 1...WallTime.distantFuture.seconds

  static func fetch(_ db: Database) throws -> RollupWatermarks {
    let statement = try RawStatement(db, "SELECT span, covered_to FROM rollup_mark")
    var watermarks = RollupWatermarks()
    watermarks.pruned = try PrunedSpans.fetch(db)
    while try statement.step() {
      let mark = statement.integer(1)
      guard let span = RollupSpan(rawValue: Int(statement.integer(0))), possible.contains(mark) else {
        continue
      }
      watermarks.set(span, mark)
    }
    return watermarks
  }

  mutating func advance(_ span: RollupSpan, to mark: Int64, _ db: Database) throws {
    let statement = try RawStatement(
      db, "INSERT OR REPLACE INTO rollup_mark (span, covered_to) VALUES (?1, ?2)")
    statement.bind(span.rawValue, at: 1)
    statement.bind(mark, at: 2)
    try statement.run()
    set(span, mark)
  }
}
