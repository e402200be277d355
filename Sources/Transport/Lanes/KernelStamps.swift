import CLinux
import DequeModule
import Glibc
import Measurement

/// CLOCK_REALTIME − CLOCK_MONOTONIC in nanoseconds, to put the kernel's receive stamps (wall clock) onto the clock that
/// all intervals are measured with. It is measured anew each second and whenever the wall clock is set, so steps and
/// slewing do not enter the data.
public struct RealtimeOffset: Sendable, Equatable {
  public static let interval = Duration.seconds(1)
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
  public init(reading clock: any HostClock) {
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

  /// The wall clock's reading at an instant of the monotonic one.
  public func wall(_ monotonic: MonotonicTime) -> WallTime {
    WallTime(microseconds: (monotonic.nanoseconds + nanoseconds) / 1000)
  }
}

/// The call that released a batch, and the rule by which one of the kernel's stamps says when the batch left.
///
/// The kernel stamps a packet as the driver takes it: some 7 to 20 µs after the release began, all of which is our own
/// host's work and none of it the provider's. A stamp counts only when it lies within the call. One from before is of
/// something else, and one from after it is of a packet that had to wait for the peer's window or in a queue of the
/// host's: it was handed over nevertheless, and that wait is part of what is measured.
struct SendWindow: Sendable, Equatable {
  /// Just before the release.
  var began: MonotonicTime
  /// Just after it.
  var ended: MonotonicTime

  /// - Parameter stamps: the kernel's, of all packets that it told of since the last batch.
  /// - Returns: the first that counts; `nil` when none does, and our own clock has to.
  func departure(among stamps: some Sequence<MonotonicTime>) -> MonotonicTime? {
    stamps.lazy.filter { began <= $0 && $0 <= ended }.min()
  }
}

/// Requests that wait for the stamp of their acknowledgment by the peer's TCP, in the order in which they were written.
struct AwaitedAcknowledgments {
  private struct Write {
    /// The number of the write's last byte, by the kernel's count.
    var byte: UInt32
    var requests: [OutgoingRequest]
  }

  private var writes = Deque<Write>()
  private static let mostWrites = 256

  var isEmpty: Bool { writes.isEmpty }

  mutating func add(_ requests: some Sequence<OutgoingRequest>, through byte: UInt32) {
    let requests = Array(requests)
    guard !requests.isEmpty else { return }
    if writes.count == Self.mostWrites { _ = writes.popFirst() }
    writes.append(Write(byte: byte, requests: requests))
  }

  /// The kernel told when a write was acknowledged. Earlier ones whose stamps were lost are dropped.
  mutating func record(byte: UInt32, at instant: MonotonicTime) {
    // The count wraps around after 4 GB.
    while let first = writes.first, Int32(bitPattern: byte &- first.byte) >= 0 {
      _ = writes.popFirst()
      guard first.byte == byte else { continue }
      for request in first.requests { request.acknowledged = instant }
    }
  }
}
