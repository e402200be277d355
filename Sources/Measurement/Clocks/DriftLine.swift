/// A straight line through the offsets of the exchanges that took least: how far the device's clock is ahead of ours and
/// how fast that changes.
struct DriftLine: Sendable, Hashable {
  /// Nanoseconds a nanosecond, within ±``DeviceClock/maximumDrift``.
  let slope: Double
  /// The stamp at which ``offset`` holds.
  private let origin: Int64
  private let offset: Int128

  /// - Returns: `nil` when the exchanges cannot tell the drift better than its limit does: fewer than three short
  ///   ones, or too close together for their length.
  init?(through exchanges: [ClockExchange]) {
    guard let least = exchanges.map(\.roundTrip).min() else { return nil }
    // A little slack, so that on a loopback some noise of the clocks does not leave just one.
    let chosen = exchanges.filter { $0.roundTrip / 2 - 10_000 <= least }
    let limit = Double(DeviceClock.maximumDrift) * 1e-6
    guard chosen.count >= 3, let first = chosen.first?.middle, let last = chosen.last?.middle,
      last.device > first.device, Double(least) < Double(last.device - first.device) * limit
    else { return nil }
    // Relative to the first: small enough for a Double to hold each nanosecond.
    let base = Int128(first.device) - Int128(first.ours)
    var points: [(time: Double, offset: Double)] = []
    for exchange in chosen {
      let middle = exchange.middle
      points.append(
        (
          time: Double(middle.device - first.device),
          offset: Double(Int128(middle.device) - Int128(middle.ours) - base)
        ))
    }
    let count = Double(points.count)
    let meanTime = points.reduce(0) { $0 + $1.time } / count
    let meanOffset = points.reduce(0) { $0 + $1.offset } / count
    var squares = 0.0
    var products = 0.0
    for point in points {
      squares += (point.time - meanTime) * (point.time - meanTime)
      products += (point.time - meanTime) * (point.offset - meanOffset)
    }
    guard squares > 0 else { return nil }
    slope = min(limit, max(-limit, products / squares))
    guard let time = Int64(exactly: meanTime.rounded()), let shift = Int128(exactly: meanOffset.rounded())
    else { return nil }
    origin = first.device + time
    offset = base + shift
  }

  /// The device's clock minus ours when it shows `stamp`, in nanoseconds.
  func offset(at stamp: Int64) -> Int128 {
    let change = Double(Int128(stamp) - Int128(origin)) * slope
    return offset + (Int128(exactly: change.rounded()) ?? 0)
  }
}
