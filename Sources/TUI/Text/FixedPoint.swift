/// Decimal numbers written by whole-number arithmetic: no locale, no rounding surprises.
enum FixedPoint {
  /// `value / scale` with `decimals` places, rounded half away from zero. `scale` is a power of ten.
  static func text(_ value: Int64, scale: Int64, decimals: Int) -> String {
    var power: UInt64 = 1
    for _ in 0..<decimals { power *= 10 }
    let scale = UInt64(scale)
    // Split first: the product of a whole value and the power could overflow, that of the remainder cannot.
    var whole = value.magnitude / scale
    var fraction = ((value.magnitude % scale) * power + scale / 2) / scale
    if fraction >= power {
      whole += 1
      fraction -= power
    }
    let sign = value < 0 && (whole > 0 || fraction > 0) ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole)." + padded(Int64(fraction), width: decimals)
  }

  /// With zeros in front up to `width` digits.
  static func padded(_ value: Int64, width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// With spaces between groups of three digits from five digits on: 4711, 47 110.
  static func grouped(_ value: Int) -> String {
    let digits = String(value.magnitude)
    guard digits.count > 4 else { return String(value) }
    var result = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { result.append(" ") }
      result.append(digit)
    }
    return result
  }
}
