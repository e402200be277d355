import Measurement

/// One moment on the clocks that a credential's age is told by.
struct CredentialInstant: Sendable, Equatable {
  /// CLOCK_MONOTONIC and the time asleep: a token grows old while the host sleeps.
  var elapsed: MonotonicTime
  /// What tokens are dated with.
  var wall: WallTime

  init(elapsed: MonotonicTime, wall: WallTime) {
    self.elapsed = elapsed
    self.wall = wall
  }

  init(reading clock: any HostClock) {
    self.init(elapsed: clock.monotonicNow() + clock.suspendedTotal(), wall: clock.wallNow())
  }
}
