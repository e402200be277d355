/// Some latencies that differ by less than 0.8 %: what a plot can tell apart.
///
/// The leading bits of a value's floating-point form are its bucket: 128 of them to each doubling.
struct DensityBucket: Sendable, Hashable {
  let index: UInt16
  var count: UInt32

  /// More than there are.
  static let places = 63 << fractionBits + 1

  private static let fractionBits = 7
  private static let shift = UInt64(52 - fractionBits)
  /// The leading bits of 1, less one: place 0 is for values below.
  private static let base = Int(Double(1).bitPattern >> shift) - 1

  /// - Parameter value: µs; below 1 it counts as nothing.
  static func index(of value: Int64) -> Int {
    value < 1 ? 0 : Int(Double(value).bitPattern >> shift) - base
  }

  /// The smallest value of a bucket, µs.
  private static func edge(_ index: Int) -> Int64 {
    guard index > 0 else { return 0 }
    let value = Double(bitPattern: UInt64(index + base) << shift).rounded(.up)
    return value >= 0x1p62 ? .max / 2 : Int64(value)
  }

  /// µs, both included.
  var lower: Int64 { Self.edge(Int(index)) }
  var upper: Int64 { max(lower, Self.edge(Int(index) + 1) - 1) }
  var middle: Int64 { lower + (upper - lower) / 2 }
}
