/// A color of a cell, as the terminal was told it.
public enum PictureColor: Sendable, Hashable {
  /// The terminal's own.
  case standard
  /// Of xterm's 256; the first sixteen are the terminal's palette.
  case indexed(UInt8)
  case rgb(red: UInt8, green: UInt8, blue: UInt8)

  /// `#rrggbb`, with xterm's values for indices; `nil` for the terminal's own.
  public var hex: String? {
    switch self {
    case .standard: nil
    case .indexed(let index): Self.hex(Self.channels(of: Int(index)))
    case .rgb(let red, let green, let blue): Self.hex((Int(red), Int(green), Int(blue)))
    }
  }

  private static func hex(_ channels: (Int, Int, Int)) -> String {
    "#" + [channels.0, channels.1, channels.2].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// xterm's defaults: sixteen of the palette, a cube of six steps, 24 grays.
  private static func channels(of index: Int) -> (Int, Int, Int) {
    if index < 16 { return basic[index] }
    if index >= 232 {
      let gray = 8 + 10 * (index - 232)
      return (gray, gray, gray)
    }
    let steps = [0, 95, 135, 175, 215, 255]
    let place = index - 16
    return (steps[place / 36], steps[place / 6 % 6], steps[place % 6])
  }

  private static let basic = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255),
    (0, 255, 255), (255, 255, 255),
  ]
}
