import Measurement

/// The clock that `POST /v1/clock` shows: Unix time as it was when the listener started, carried on by the monotonic
/// clock. It reads like the time of day and is never set, so a difference of two of its stamps is an interval.
struct Timescale: Sendable {
  let anchor: ClockAnchor

  /// Devices whose JSON knows only binary64 numbers give stamps back rounded to a multiple of 256 ns.
  static let rounding = Duration.nanoseconds(256)

  /// - Parameter earlier: the latest that an earlier scale can have shown; this one begins a little later.
  init(anchor: ClockAnchor, after earlier: WallTime? = nil) {
    let first = earlier?.advanced(byMicroseconds: Self.distance) ?? anchor.wall
    self.anchor = ClockAnchor(monotonic: anchor.monotonic, wall: max(anchor.wall, first))
  }

  /// Between what one scale showed last and the next one shows first: more than what passes between the reading of two
  /// clocks. µs.
  private static let distance: Int64 = 1000

  /// Nanoseconds since 1970 at an instant.
  func nanoseconds(at instant: MonotonicTime) -> Int64 {
    anchor.wall.microseconds * 1000 + (instant - anchor.monotonic).nanoseconds
  }

  /// The instant that a stamp of this scale names.
  ///
  /// - Returns: `nil` when it is none that was given out until `now`: of another run of the collector, or invented.
  func instant(of stamp: Int64, until now: MonotonicTime) -> MonotonicTime? {
    let (passed, isTooFar) = stamp.subtractingReportingOverflow(anchor.wall.microseconds * 1000)
    guard !isTooFar, passed >= 0, passed <= (now - anchor.monotonic).nanoseconds else { return nil }
    return anchor.monotonic + .nanoseconds(passed)
  }
}
