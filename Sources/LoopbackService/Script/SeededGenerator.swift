/// SplitMix64 (Steele, Lea, Flood 2014): a small generator whose every seed gives another sequence. Each notification
/// has one of its own, so that its fate does not depend on what others drew.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64, stream: UInt64) {
    state = Self.mix(seed) ^ Self.mix(stream &* 0xD134_2543_DE82_EF95 &+ 1)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
