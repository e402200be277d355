import Measurement

/// How long a stretch of planned time one rollup covers. Raw values are seconds, and the store's.
public enum RollupSpan: Int, Sendable, Hashable, CaseIterable {
  case second = 1
  case minute = 60
  case hour = 3600

  /// µs.
  public var microseconds: Int64 { Int64(rawValue) * 1_000_000 }

  /// The next finer one, which this one is made of; `nil` for seconds, which are made of notifications.
  var part: RollupSpan? {
    switch self {
    case .second: nil
    case .minute: .second
    case .hour: .minute
    }
  }

  /// The start of the span that an instant lies in; both in seconds since 1970.
  @inline(__always)
  func start(of second: Int64) -> Int64 {
    let length = Int64(rawValue)
    let rest = second % length
    return second - (rest < 0 ? rest + length : rest)
  }

  /// The first second since 1970 that begins at an instant or after it.
  static func firstWholeSecond(_ time: WallTime) -> Int64 {
    second(of: WallTime(microseconds: max(time.microseconds, .min + 1) - 1)) + 1
  }

  /// The second since 1970 that an instant lies in.
  @inline(__always)
  static func second(of time: WallTime) -> Int64 {
    let (quotient, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest < 0 ? quotient - 1 : quotient
  }
}
