import Measurement

/// A device's clock against ours, both known: it starts ahead by `skew` and then runs fast or slow as the test says.
/// Time only goes forward, in whole nanoseconds.
struct SimulatedClock {
  /// Our clock.
  private(set) var now: Int64 = 3_000_000_000
  /// The device's clock at the same instant.
  private(set) var device: Int64
  /// In parts per million.
  var drift: Int64

  init(skew: Int64, drift: Int64) {
    device = 1_700_000_000_000_000_000 + skew
    self.drift = drift
  }

  var instant: MonotonicTime { MonotonicTime(nanoseconds: now) }

  mutating func advance(_ nanoseconds: Int64) {
    now += nanoseconds
    device += nanoseconds + nanoseconds * drift / 1_000_000
  }

  /// Somebody sets the device's clock.
  mutating func step(_ nanoseconds: Int64) { device += nanoseconds }

  struct Impossible: Error {}

  /// An exchange whose question takes `out` and whose answer takes `back`.
  mutating func exchange(out: Int64, server: Int64 = 50_000, back: Int64) throws -> ClockExchange {
    let t1 = device
    advance(out)
    let t2 = instant
    advance(server)
    let t3 = instant
    advance(back)
    guard let exchange = ClockExchange(t1: t1, t2: t2, t3: t3, t4: device) else { throw Impossible() }
    return exchange
  }
}
