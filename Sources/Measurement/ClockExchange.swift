/// A request and its answer between a device and the collector, stamped at both ends (the four timestamps of RFC 5905,
/// section 8).
///
/// It proves two bounds on the device's clock, whatever the delays of the two directions were:
/// - at our instant ``t2`` it showed ``t1`` or more, since the request left before it arrived;
/// - at our instant ``t3`` it showed ``t4`` or less, since the answer left before it arrived.
public struct ClockExchange: Sendable, Hashable {
  /// The device's clock when the request left, nanoseconds since 1970.
  public let t1: Int64
  /// Our clock when the request arrived, or later.
  public let t2: MonotonicTime
  /// Our clock when the answer left, or earlier.
  public let t3: MonotonicTime
  /// The device's clock when the answer arrived.
  public let t4: Int64

  /// - Returns: `nil` for impossible stamps: one is negative, the answer is older than the request, or we took longer than
  ///   the device waited (by more than ``DeviceClock/maximumDrift`` explains).
  public init?(t1: Int64, t2: MonotonicTime, t3: MonotonicTime, t4: Int64) {
    guard t1 >= 0, t4 >= t1, t2.nanoseconds >= 0, t3.nanoseconds >= 0 else { return nil }
    self.t1 = t1
    self.t2 = t2
    self.t3 = t3
    self.t4 = t4
    guard contradiction(of: self, drift: DeviceClock.drift) == 0 else { return nil }
  }

  /// The delays of both directions together, in nanoseconds: the width of the range of the true offset.
  public var roundTrip: Int64 {
    Int64(clamping: max(0, Int128(t4 - t1) - Int128(t3.nanoseconds - t2.nanoseconds)))
  }

  /// The middle of the exchange on the device's clock and on ours, in nanoseconds: the same instant if both directions
  /// took equally long.
  var middle: (device: Int64, ours: Int64) {
    (t1 + (t4 - t1) / 2, t2.nanoseconds + (t3.nanoseconds - t2.nanoseconds) / 2)
  }

  /// The amount by which two exchanges contradict each other, nanoseconds; 0 when they can be of one clock.
  func contradiction(of other: ClockExchange, drift: DriftLimit) -> Int64 {
    let one = drift.excess(atLeast: t1, at: t2, atMost: other.t4, at: other.t3)
    let two = drift.excess(atLeast: other.t1, at: other.t2, atMost: t4, at: t3)
    return Int64(clamping: max(0, one, two))
  }
}

extension DriftLimit {
  /// The amount by which two readings, `low` or more at one of our instants and `high` or less at another, exceed
  /// what one clock can show; at most 0 when one clock can show both.
  fileprivate func excess(
    atLeast low: Int64, at lowInstant: MonotonicTime, atMost high: Int64, at highInstant: MonotonicTime
  ) -> Int128 {
    let elapsed = Int128(highInstant.nanoseconds) - Int128(lowInstant.nanoseconds)
    return elapsed >= 0
      ? Int128(low) + leastAdvance(elapsed) - Int128(high)
      : Int128(low) - Int128(high) - mostAdvance(-elapsed)
  }
}

/// An exchange that a device reported together with a receipt whose MAC was right: a row of the `clock_exchange` table.
public struct DeviceExchange: Sendable, Hashable {
  /// The device's own name for itself, bounded and escaped at sinks.
  public var device: String
  /// The boot its clock belongs to, where the device tells.
  public var bootID: String?
  public var exchange: ClockExchange
  /// How long this host had been suspended since its boot, as far as known. Our monotonic clock does not advance while
  /// suspended and the device's does, so an exchange is of no use after another suspend.
  public var hostSlept: Duration

  public init(device: String, bootID: String?, exchange: ClockExchange, hostSlept: Duration = .zero) {
    self.device = device
    self.bootID = bootID
    self.exchange = exchange
    self.hostSlept = hostSlept
  }
}

/// A device's stamp converted to our clock: an estimate with bounds.
public struct ClockReading: Sendable, Hashable {
  /// The estimate, between the other two.
  public var instant: MonotonicTime
  /// Lower bound.
  public var earliest: MonotonicTime
  /// Upper bound.
  public var latest: MonotonicTime

  public init(instant: MonotonicTime, earliest: MonotonicTime, latest: MonotonicTime) {
    self.instant = instant
    self.earliest = earliest
    self.latest = latest
  }

  /// The largest distance of the true instant from ``instant``, plus 1 µs for callers that truncate stamps to µs.
  public var error: Duration {
    max(latest - instant, instant - earliest) + .microseconds(1)
  }

  /// Narrows the reading: the instant was not before `cause` and not after `effect`.
  ///
  /// - Returns: `nil` when that contradicts the reading, which is then wrong.
  public func between(_ cause: MonotonicTime, and effect: MonotonicTime) -> ClockReading? {
    let low = max(earliest, cause)
    let high = min(latest, effect)
    guard low <= high else { return nil }
    return ClockReading(instant: min(max(instant, low), high), earliest: low, latest: high)
  }
}
