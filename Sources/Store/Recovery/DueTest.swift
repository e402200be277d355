import Measurement

/// Tells which plans of a dead collector may have gone out. It errs on one side only: what it calls not due was not
/// sent for certain.
///
/// On the same boot the monotonic clock still runs: a plan later than now was not due when the collector died, which
/// was before now. After another boot only wall times are left. The collector died before now and lived at its last
/// heartbeat; a wall clock set back in between is caught by the heartbeat, and a margin covers what it may have sent
/// after that while a slow disk kept it from writing.
struct DueTest {
  /// The latest monotonic plan, in µs, that may have been sent.
  private let lastDue: Int64

  static let margin: Int64 = 60_000_000

  /// - Parameters:
  ///   - anchor: the run's last tie between the clocks.
  ///   - heartbeat: both clocks when the collector last wrote.
  init(runBootID: String, bootID: String, anchor: ClockAnchor, heartbeat: ClockAnchor, now: ClockAnchor) {
    if runBootID == bootID, now.monotonic >= heartbeat.monotonic {
      lastDue = now.monotonic.microseconds
    } else {
      let lastWall = max(now.wall, heartbeat.wall).advanced(byMicroseconds: Self.margin)
      lastDue = anchor.monotonic.microseconds + (lastWall.microseconds - anchor.wall.microseconds)
    }
  }

  func mayHaveBeenSent(planned: Int64) -> Bool { planned <= lastDue }
}
