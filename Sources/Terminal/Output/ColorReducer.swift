public import ConstraintAnimation

/// Reduces 24-bit colors to the terminal's, with a cache. With true color they stay what they
/// are, in fewer bytes where that is possible.
///
/// The nearest palette entry is found with squared distances weighted 2 : 4 : 3 for red, green and blue, close to
/// the eye's sensitivity. The 256-color profile leaves out the first sixteen entries, because users
/// change those.
struct ColorReducer: ~Copyable {
  /// 0 for the terminal's own; `0x01RRGGBB`; `0x0200_0000 | index` of 256; `0x0300_0000 | index` of 16.
  typealias Reduced = UInt32

  let profile: ColorProfile
  private let memo: UnsafeMutablePointer<(color: UInt32, reduced: UInt32)>

  private static let memoCount = 512

  init(profile: ColorProfile) {
    self.profile = profile
    memo = .allocate(capacity: ColorReducer.memoCount)
    memo.initialize(repeating: (0, 0), count: ColorReducer.memoCount)
  }

  deinit { memo.deallocate() }

  @inline(__always)
  func reduce(_ color: CellColor) -> Reduced {
    if color.bits == 0 || profile == .monochrome { return 0 }
    // Multiplicative hashing: the upper bits of the product depend on all of the color.
    let slot = Int((color.bits &* 0x9E37_79B1) >> 23)
    if memo[slot].color != color.bits {
      let reduced =
        switch profile {
        case .trueColor: Self.shortened(color.bits)
        case .ansi256: Self.nearest256(color.bits)
        default: Self.nearest16(color.bits)
        }
      memo[slot] = (color.bits, reduced)
    }
    return memo[slot].reduced
  }

  private static func channels(_ bits: UInt32) -> (red: Int, green: Int, blue: Int) {
    (Int(bits >> 16 & 0xFF), Int(bits >> 8 & 0xFF), Int(bits & 0xFF))
  }

  private static func distance(
    _ left: (red: Int, green: Int, blue: Int), _ right: (red: Int, green: Int, blue: Int)
  ) -> Int {
    let red = left.red - right.red
    let green = left.green - right.green
    let blue = left.blue - right.blue
    return 2 * red * red + 4 * green * green + 3 * blue * blue
  }

  /// The same color as an index of 256 where it is one exactly: half the bytes, and a full frame has thousands.
  ///
  /// The first entries of the cube are left out, because base16 schemes redefine them.
  static func shortened(_ bits: UInt32) -> Reduced {
    let index = nearestIndex(bits)
    return index >= 22 && distance(channels(bits), channels(of: index)) == 0
      ? 0x0200_0000 | UInt32(index) : bits
  }

  static func nearest256(_ bits: UInt32) -> Reduced { 0x0200_0000 | UInt32(nearestIndex(bits)) }

  private static func nearestIndex(_ bits: UInt32) -> Int {
    let wanted = channels(bits)
    // The cube's levels are 0, 95, 135, 175, 215, 255.
    func step(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
    let cube = 16 + 36 * step(wanted.red) + 6 * step(wanted.green) + step(wanted.blue)
    // The gray ramp is 8, 18, … 238.
    let mean = (2 * wanted.red + 4 * wanted.green + 3 * wanted.blue) / 9
    let gray = 232 + min(max((mean - 3) / 10, 0), 23)
    return distance(wanted, channels(of: gray)) < distance(wanted, channels(of: cube)) ? gray : cube
  }

  /// The color of an index from 16 on.
  private static func channels(of index: Int) -> (red: Int, green: Int, blue: Int) {
    if index >= 232 {
      let gray = 8 + 10 * (index - 232)
      return (gray, gray, gray)
    }
    func level(_ step: Int) -> Int { step == 0 ? 0 : 55 + 40 * step }
    return (level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6))
  }

  static func nearest16(_ bits: UInt32) -> Reduced {
    let wanted = channels(bits)
    var best = (index: 0, distance: Int.max)
    for (index, entry) in palette16.enumerated() {
      let far = distance(wanted, channels(entry))
      if far < best.distance { best = (index, far) }
    }
    return 0x0300_0000 | UInt32(best.index)
  }

  /// xterm's values of the sixteen colors; other terminals differ slightly.
  static let palette16: [UInt32] = [
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
    0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
  ]
}

/// A color as it is encoded for a terminal.
public enum ShownColor: Sendable, Hashable {
  case exact(Color)
  /// One of xterm's 256 colors; the first sixteen are the terminal's palette.
  case indexed(UInt8)
}

extension ColorProfile {
  /// The nearest color of this profile; `nil` for profiles without colors.
  public func shown(_ color: Color) -> ShownColor? {
    let bits = CellColor(color).bits
    switch self {
    case .monochrome: return nil
    case .ansi16: return .indexed(UInt8(truncatingIfNeeded: ColorReducer.nearest16(bits)))
    case .ansi256: return .indexed(UInt8(truncatingIfNeeded: ColorReducer.nearest256(bits)))
    case .trueColor: return .exact(color)
    }
  }
}
