/// How much two clocks' rates may differ: the promise that every bound on a device's clock rests on.
///
/// While a device's clock D runs against our monotonic time s with a rate from 1 − ρ to 1 + ρ, what one instant says of
/// it limits every other instant: D(s) − D(s₀) lies between (1 − ρ)(s − s₀) and (1 + ρ)(s − s₀). Quartz of phones and
/// computers stays within 100 ppm of the true second, and NTP never slews a clock by more than 500 ppm of it (RFC 5905,
/// section 11.3), so ρ = 500 ppm holds for a clock that nobody sets.
///
/// Whole nanoseconds; every result is rounded so that what it bounds stays inside.
struct DriftLimit: Sendable, Hashable {
  /// ρ in millionths, from 0 to 999 999.
  let partsPerMillion: Int64

  init(partsPerMillion: Int64) {
    self.partsPerMillion = min(max(0, partsPerMillion), 999_999)
  }

  private static let million: Int128 = 1_000_000

  /// The longest that `elapsed` on the device's clock can be on ours; for a negative one, the least negative.
  func longest(_ elapsed: Int128) -> Int128 {
    let slow = elapsed >= 0 ? Self.million - Int128(partsPerMillion) : Self.million + Int128(partsPerMillion)
    return Self.ceiling(elapsed * Self.million, slow)
  }

  /// The shortest that `elapsed` on the device's clock can be on ours; for a negative one, the most negative.
  func shortest(_ elapsed: Int128) -> Int128 { -longest(-elapsed) }

  /// The most that the device's clock can advance while ours advances by `elapsed`, which is not negative.
  func mostAdvance(_ elapsed: Int128) -> Int128 {
    Self.ceiling(elapsed * (Self.million + Int128(partsPerMillion)), Self.million)
  }

  /// The least that it advances in that time.
  func leastAdvance(_ elapsed: Int128) -> Int128 {
    elapsed * (Self.million - Int128(partsPerMillion)) / Self.million
  }

  /// a / b towards +∞, for positive b.
  private static func ceiling(_ a: Int128, _ b: Int128) -> Int128 {
    let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
    return remainder > 0 ? quotient + 1 : quotient
  }
}
