import CLinux
import Glibc
import Measurement

/// CLOCK_REALTIME − CLOCK_MONOTONIC in nanoseconds, to put the kernel's receive stamps (wall clock) onto the clock that
/// all intervals are measured with. It is measured anew each second and whenever the wall clock is set, so steps and
/// slewing do not enter the data.
struct RealtimeOffset: Sendable, Equatable {
  static let interval = Duration.seconds(1)
  static let readings = 16

  var nanoseconds: Int64

  /// Reads the wall clock between two readings of the monotonic one, several times, and trusts the time that the two
  /// were closest: preemption only ever widens the gap.
  init(monotonic: () -> Int64, realtime: () -> Int64) {
    var narrowest = Int64.max
    var best: Int64 = 0
    for _ in 0..<Self.readings {
      let before = monotonic()
      let wall = realtime()
      let after = monotonic()
      if after - before < narrowest {
        narrowest = after - before
        best = wall - (before + (after - before) / 2)
      }
    }
    nanoseconds = best
  }

  /// The wall clock in nanoseconds comes from the kernel itself: it is compared with the kernel's own stamps.
  init(reading clock: any HostClock) {
    self.init(
      monotonic: { clock.monotonicNow().nanoseconds },
      realtime: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      })
  }

  func monotonic(_ realtime: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: realtime - nanoseconds)
  }

  func wall(_ monotonic: MonotonicTime) -> WallTime {
    WallTime(microseconds: (monotonic.nanoseconds + nanoseconds) / 1000)
  }
}
