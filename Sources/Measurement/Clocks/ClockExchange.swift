/// One question and answer between a device and us, stamped at both ends (the four timestamps of RFC 5905, section 8).
///
/// It proves two things of the device's clock, whatever the network did and however unlike the two ways were:
/// - at our instant ``t2`` it already showed ``t1`` or more, since the question left before it arrived;
/// - at our instant ``t3`` it showed ``t4`` or less, since the answer left before it arrived.
public struct ClockExchange: Sendable, Hashable {
  /// The device's clock when the question left: nanoseconds since 1970 as that clock has it.
  public let t1: Int64
  /// Our clock when the question arrived, or later.
  public let t2: MonotonicTime
  /// Our clock when the answer left, or earlier.
  public let t3: MonotonicTime
  /// The device's clock when the answer arrived.
  public let t4: Int64

  /// - Returns: `nil` when the stamps cannot be: one is negative, the answer is older than the question, or we took
  ///   longer than the device waited (beyond what ``DeviceClock/maximumDrift`` explains).
  public init?(t1: Int64, t2: MonotonicTime, t3: MonotonicTime, t4: Int64) {
    guard t1 >= 0, t4 >= t1, t2.nanoseconds >= 0, t3.nanoseconds >= 0 else { return nil }
    self.t1 = t1
    self.t2 = t2
    self.t3 = t3
    self.t4 = t4
    guard agrees(with: self, drift: DeviceClock.drift) else { return nil }
  }

  /// What the two ways took together, in nanoseconds: how much room the true offset has. Half of it is the bound.
  public var roundTrip: Int64 {
    Int64(clamping: max(0, Int128(t4 - t1) - Int128(t3.nanoseconds - t2.nanoseconds)))
  }

  /// The middle of the exchange on the device's clock and on ours, in nanoseconds. If both ways took equally long, these
  /// are the same instant.
  var middle: (device: Int64, ours: Int64) {
    (t1 + (t4 - t1) / 2, t2.nanoseconds + (t3.nanoseconds - t2.nanoseconds) / 2)
  }

  /// Whether one clock can have shown what both exchanges say.
  func agrees(with other: ClockExchange, drift: DriftLimit) -> Bool {
    drift.allows(atLeast: t1, at: t2, atMost: other.t4, at: other.t3)
      && drift.allows(atLeast: other.t1, at: other.t2, atMost: t4, at: t3)
  }
}

extension DriftLimit {
  /// Whether a clock can show `low` or more at one of our instants and `high` or less at another.
  fileprivate func allows(
    atLeast low: Int64, at lowInstant: MonotonicTime, atMost high: Int64, at highInstant: MonotonicTime
  ) -> Bool {
    let elapsed = Int128(highInstant.nanoseconds) - Int128(lowInstant.nanoseconds)
    return elapsed >= 0
      ? Int128(high) >= Int128(low) + leastAdvance(elapsed)
      : Int128(low) <= Int128(high) + mostAdvance(-elapsed)
  }
}
