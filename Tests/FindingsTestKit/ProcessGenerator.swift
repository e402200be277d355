import Glibc
import Measurement

/// Random processes of known parameters, repeatable from a name and a seed.
public struct ProcessGenerator {
  private var source: SeededGenerator
  private var spare: Double?

  public init(_ name: String, seed: Int) {
    // FNV-1a of the name.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    source = SeededGenerator(seed: hash ^ (UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15))
  }

  /// Uniform in [0, 1).
  public mutating func unit() -> Double { source.unit() }

  /// Standard normal (Box and Muller).
  public mutating func normal() -> Double {
    if let value = spare {
      spare = nil
      return value
    }
    let radius = (-2 * log(1 - unit())).squareRoot()
    let angle = 2 * Double.pi * unit()
    spare = radius * sin(angle)
    return radius * cos(angle)
  }

  /// Exponential with mean 1.
  public mutating func exponential() -> Double { -log1p(-unit()) }

  /// First-order autoregressive noise of unit variance.
  public mutating func autoregressive(_ count: Int, correlation: Double) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(count)
    let innovation = (1 - correlation * correlation).squareRoot()
    var last = normal()
    for index in 0..<count {
      if index > 0 { last = correlation * last + innovation * normal() }
      values.append(last)
    }
    return values
  }

  /// For each unit of time whether it is a bad one.
  public mutating func spells(_ count: Int, share: Double) -> [Bool] {
    (0..<count).map { _ in unit() < share }
  }
}

/// The distribution function of the standard normal.
public func normalShare(_ x: Double) -> Double { 0.5 * erfc(-x / 2.0.squareRoot()) }
