/// What a character that plots are made of looks like in a cell of 10 by 20 units, drawn instead of written: fonts
/// differ in whether they have these, how wide they are and whether neighbors touch.
enum GlyphShape: Sendable, Hashable {
  struct Place: Sendable, Hashable {
    let x: Double
    let y: Double
  }

  struct Box: Sendable, Hashable {
    let x: Double
    let y: Double
    let width: Double
    let height: Double
  }

  /// Round dots.
  case dots([Place])
  /// Filled rectangles, and how much of the color they have.
  case boxes([Box], opacity: Double)
  /// Straight lines between places, each with a width.
  case lines([[Place]], width: Double)

  static let width = 10.0
  static let height = 20.0

  /// `nil` for characters that are written.
  init?(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x2801...0x28FF: self = Self.braille(scalar.value)
    case 0x2580...0x259F: self = Self.block(scalar.value)
    case 0x2500...0x257F:
      guard let lines = Self.box(scalar.value) else { return nil }
      self = lines
    default: return nil
    }
  }

  private static func braille(_ value: UInt32) -> GlyphShape {
    // Dots 1 2 3 7 on the left, 4 5 6 8 on the right, from above (Unicode, Braille Patterns).
    let rows = [0, 1, 2, 0, 1, 2, 3, 3]
    let columns = [0, 0, 0, 1, 1, 1, 0, 1]
    var dots: [Place] = []
    for place in 0..<8 where value >> UInt32(place) & 1 == 1 {
      dots.append(Place(x: columns[place] == 0 ? 2.5 : 7.5, y: 2.5 + Double(5 * rows[place])))
    }
    return .dots(dots)
  }

  private static func block(_ value: UInt32) -> GlyphShape {
    func boxes(_ boxes: Box..., opacity: Double = 1) -> GlyphShape { .boxes(boxes, opacity: opacity) }
    switch value {
    case 0x2580: return boxes(Box(x: 0, y: 0, width: 10, height: 10))
    case 0x2581...0x2588:
      let part = 2.5 * Double(value - 0x2580)
      return boxes(Box(x: 0, y: 20 - part, width: 10, height: part))
    case 0x2589...0x258F:
      return boxes(Box(x: 0, y: 0, width: 1.25 * Double(0x2590 - value), height: 20))
    case 0x2590: return boxes(Box(x: 5, y: 0, width: 5, height: 20))
    case 0x2591...0x2593:
      return boxes(Box(x: 0, y: 0, width: 10, height: 20), opacity: 0.25 * Double(value - 0x2590))
    case 0x2594: return boxes(Box(x: 0, y: 0, width: 10, height: 2.5))
    case 0x2595: return boxes(Box(x: 8.75, y: 0, width: 1.25, height: 20))
    default:
      // Upper left 1, upper right 2, lower left 4, lower right 8.
      let patterns = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14]
      let pattern = patterns[Int(value - 0x2596)]
      var quarters: [Box] = []
      for place in 0..<4 where pattern >> place & 1 == 1 {
        quarters.append(Box(x: Double(place % 2 * 5), y: Double(place / 2 * 10), width: 5, height: 10))
      }
      return .boxes(quarters, opacity: 1)
    }
  }

  /// Which of its four sides a character of lines reaches: left 1, right 2, up 4, down 8.
  private static let arms: [UInt32: Int] = [
    0x2500: 3, 0x2502: 12, 0x250C: 10, 0x2510: 9, 0x2514: 6, 0x2518: 5, 0x251C: 14, 0x2524: 13, 0x252C: 11,
    0x2534: 7, 0x253C: 15, 0x256D: 10, 0x256E: 9, 0x256F: 5, 0x2570: 6, 0x2501: 3, 0x2550: 3,
  ]

  private static func box(_ value: UInt32) -> GlyphShape? {
    let (middle, center) = (5.0, 10.0)
    if let arms = arms[value] {
      let ends = [
        Place(x: 0, y: center), Place(x: 10, y: center), Place(x: middle, y: 0), Place(x: middle, y: 20),
      ]
      var lines: [[Place]] = []
      for place in 0..<4 where arms >> place & 1 == 1 {
        lines.append([ends[place], Place(x: middle, y: center)])
      }
      return .lines(lines, width: value == 0x2501 || value == 0x2550 ? 3 : 1.2)
    }
    func dashes(_ count: Int, isUpright: Bool, width: Double) -> GlyphShape {
      let length = (isUpright ? 20.0 : 10.0) / Double(count)
      return .lines(
        (0..<count).map { place in
          let from = (Double(place) + 0.2) * length
          let to = (Double(place) + 0.8) * length
          return isUpright
            ? [Place(x: middle, y: from), Place(x: middle, y: to)]
            : [Place(x: from, y: center), Place(x: to, y: center)]
        }, width: width)
    }
    switch value {
    case 0x2504: return dashes(3, isUpright: false, width: 1.2)
    case 0x2506: return dashes(3, isUpright: true, width: 1.2)
    case 0x2508: return dashes(4, isUpright: false, width: 1.2)
    case 0x250A: return dashes(4, isUpright: true, width: 1.2)
    case 0x254C: return dashes(2, isUpright: false, width: 1.2)
    case 0x254D: return dashes(2, isUpright: false, width: 2.4)
    default: return nil
    }
  }
}
