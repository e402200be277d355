import Measurement
import TestKit

@testable import Collector

/// A device somewhere else, with a clock of its own: what it stamps is known to the test together with the truth.
/// Time is the hand clock's, in whole microseconds.
struct RemotePhone {
  let name: String
  let clock: SteppedHostClock
  /// Its clock, nanoseconds since 1970.
  private(set) var time: Int64
  /// How many parts per million it runs fast.
  var drift: Int64

  init(_ name: String, clock: SteppedHostClock, skew: Duration, drift: Int64) {
    self.name = name
    self.clock = clock
    time = clock.wallNow().microseconds * 1000 + skew.nanoseconds
    self.drift = drift
  }

  mutating func pass(microseconds: Int64) {
    clock.advance(by: .microseconds(microseconds))
    time += microseconds * 1000 + microseconds * drift / 1000
  }

  mutating func set(by step: Duration) { time += step.nanoseconds }

  /// Its clock as `received_at_ms` tells it.
  var stamp: WallTime { WallTime(microseconds: time / 1_000_000 * 1000) }

  /// By how much it is ahead of ours, µs.
  var offset: Double { Double(time - clock.wallNow().microseconds * 1000) / 1000 }

  struct Impossible: Error {}

  mutating func exchange(out: Int64, back: Int64) throws -> DeviceExchange {
    let t1 = time
    pass(microseconds: out)
    let t2 = clock.monotonicNow()
    pass(microseconds: 40)
    let t3 = clock.monotonicNow()
    pass(microseconds: back)
    guard let exchange = ClockExchange(t1: t1, t2: t2, t3: t3, t4: time) else { throw Impossible() }
    return DeviceExchange(device: name, bootID: nil, exchange: exchange)
  }
}
