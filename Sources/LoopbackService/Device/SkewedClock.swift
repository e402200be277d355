import Measurement

/// A clock that starts ahead of this host's and runs fast or slow. It is never set, whatever happens to the host's.
struct SkewedClock: Sendable {
  private let origin: ClockAnchor
  private let skew: Int64
  private let drift: Double

  init(_ device: RemoteDevice, startedAt origin: ClockAnchor) {
    self.origin = origin
    skew = device.skew.nanoseconds
    drift = device.drift * 1e-6
  }

  /// What it shows at an instant of this host: nanoseconds since 1970.
  func nanoseconds(at instant: MonotonicTime) -> Int64 {
    let passed = (instant - origin.monotonic).nanoseconds
    return origin.wall.microseconds * 1000 + skew + passed + Int64((Double(passed) * drift).rounded())
  }
}
