import GRDB

/// Up to where planned time is rolled up, per span; in seconds since 1970, whole spans. What is before a mark is in the
/// table and is kept right by every transaction that changes a row; what is after it is in the notifications alone.
struct RollupWatermarks: Sendable, Equatable {
  private(set) var second = Int64.min
  private(set) var minute = Int64.min
  private(set) var hour = Int64.min

  /// `.min` while nothing is rolled up.
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

  /// Whether there are whole minutes or hours to be made of what is rolled up.
  var areCoarseSpansBehind: Bool {
    guard second > .min else { return false }
    let wholeMinutes = RollupSpan.minute.start(of: second)
    guard minute >= wholeMinutes else { return true }
    return hour < RollupSpan.hour.start(of: minute)
  }

  static func fetch(_ db: Database) throws -> RollupWatermarks {
    let statement = try RawStatement(db, "SELECT span, covered_to FROM rollup_mark")
    var marks = RollupWatermarks()
    while try statement.step() {
      guard let span = RollupSpan(rawValue: Int(statement.integer(0))) else { continue }
      marks.set(span, statement.integer(1))
    }
    return marks
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
