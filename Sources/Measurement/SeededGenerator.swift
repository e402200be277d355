/// SplitMix64 (Steele, Lea and Flood, 2014), a small deterministic generator: a seed gives the same schedules, jitter
/// and simulated delays on every machine. Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// One of many independent generators of a seed, so that what one draws does not depend on the others.
  public init(seed: UInt64, stream: UInt64) {
    state = Self.mix(seed) ^ Self.mix(stream &* 0xD134_2543_DE82_EF95 &+ 1)
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Uniform in [0, 1), in steps of 2⁻⁵³.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
