/// When something happened on our clock, as a device's stamp tells it: an estimate and how far off it can be at most.
public struct ClockReading: Sendable, Hashable {
  /// The best guess, between the other two.
  public var instant: MonotonicTime
  /// Not before this, for certain.
  public var earliest: MonotonicTime
  /// Not after this, for certain.
  public var latest: MonotonicTime

  public init(instant: MonotonicTime, earliest: MonotonicTime, latest: MonotonicTime) {
    self.instant = instant
    self.earliest = earliest
    self.latest = latest
  }

  /// How far the true instant can be from ``instant``, at most. In whole nanoseconds, plus one µs for those who cut the
  /// stamps to µs.
  public var error: Duration {
    max(latest - instant, instant - earliest) + .microseconds(1)
  }

  /// The same reading, knowing also that it was not before `cause` nor after `effect`: what could only come of it had
  /// already been seen.
  ///
  /// - Returns: `nil` when that contradicts the reading, which is then not to be believed.
  public func between(_ cause: MonotonicTime, and effect: MonotonicTime) -> ClockReading? {
    let low = max(earliest, cause)
    let high = min(latest, effect)
    guard low <= high else { return nil }
    return ClockReading(instant: min(max(instant, low), high), earliest: low, latest: high)
  }
}
