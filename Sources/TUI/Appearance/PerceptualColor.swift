import ConstraintAnimation
import Glibc

/// A color in OKLab (Björn Ottosson, 2020), where equal distances look equally far apart.
struct PerceptualColor: Sendable, Hashable {
  /// 0 is black, 1 is white.
  let lightness: Double
  /// Green to red.
  let a: Double
  /// Blue to yellow.
  let b: Double

  init(lightness: Double, a: Double, b: Double) { (self.lightness, self.a, self.b) = (lightness, a, b) }

  init(_ color: Color) {
    func linear(_ channel: UInt8) -> Double {
      let value = Double(channel) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    let (red, green, blue) = (linear(color.red), linear(color.green), linear(color.blue))
    let long = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    let medium = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    let short = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
  }

  /// The nearest color of 24 bits.
  var color: Color {
    func cube(_ value: Double) -> Double { value * value * value }
    let long = cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
    let medium = cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
    let short = cube(lightness - 0.0894841775 * a - 1.2914855480 * b)
    func channel(_ value: Double) -> UInt8 {
      let encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
      return UInt8(min(max(encoded * 255, 0), 255).rounded())
    }
    return Color(
      channel(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
      channel(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
      channel(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short))
  }

  /// Between this color and another; 0 is this one.
  func mixed(with other: PerceptualColor, fraction: Double) -> PerceptualColor {
    PerceptualColor(
      lightness: lightness + (other.lightness - lightness) * fraction, a: a + (other.a - a) * fraction,
      b: b + (other.b - b) * fraction)
  }

  func distance(to other: PerceptualColor) -> Double {
    let (x, y, z) = (lightness - other.lightness, a - other.a, b - other.b)
    return (x * x + y * y + z * z).squareRoot()
  }
}

/// The colors of a density ramp: from one notification in a cell to very many, each as far from the next.
struct DensitySteps: Sendable, Hashable {
  let colors: [Color]

  /// Steps where colors have 24 bits.
  static let most = 12
  /// Steps where there are 256 colors: more would not look alike.
  static let ofPalette = 6

  /// - Parameter count: number of steps.
  init(from sparse: Color, to dense: Color, count: Int) {
    let (start, end) = (PerceptualColor(sparse), PerceptualColor(dense))
    colors = (0..<count).map {
      start.mixed(with: end, fraction: Double($0) / Double(max(1, count - 1))).color
    }
  }

  /// Steps of xterm's palette: near the even ones, and as far from each other as these are.
  init(ofPaletteFrom sparse: Color, to dense: Color) {
    let count = Self.ofPalette
    let (start, end) = (PerceptualColor(sparse), PerceptualColor(dense))
    let wanted = (0..<count).map { start.mixed(with: end, fraction: Double($0) / Double(count - 1)) }
    let step = start.distance(to: end) / Double(count - 1)
    let isRising = end.lightness > start.lightness
    func nearest(_ color: PerceptualColor) -> [Int] {
      let distances = Palette.entries.map { $0.distance(to: color) }
      return Array(distances.indices.sorted { distances[$0] < distances[$1] }.prefix(14))
    }
    // The best way to each candidate of a step, by dynamic programming.
    var ways = nearest(wanted[0]).map { entry in
      let far = Palette.entries[entry].distance(to: wanted[0])
      return (cost: far * far, entries: [entry])
    }
    for color in wanted.dropFirst() {
      ways = nearest(color).compactMap { entry -> (cost: Double, entries: [Int])? in
        let own = Palette.entries[entry]
        let far = own.distance(to: color)
        var best: (cost: Double, entries: [Int])?
        for way in ways {
          let before = Palette.entries[way.entries[way.entries.count - 1]]
          guard own.lightness != before.lightness, (own.lightness > before.lightness) == isRising else {
            continue
          }
          let off = own.distance(to: before) - step
          let cost = way.cost + far * far + 4 * off * off
          if cost < best?.cost ?? .infinity { best = (cost, way.entries + [entry]) }
        }
        return best
      }
    }
    let best = ways.min { $0.cost < $1.cost }
    colors =
      best.map { $0.entries.map { Palette.entries[$0].color } }
      ?? DensitySteps(from: sparse, to: dense, count: count).colors
  }

  /// The color of a level from 0 up to one less than `levels`.
  func color(of level: Int, among levels: Int) -> Color { colors[level * colors.count / levels] }

  /// The 240 colors of xterm's palette that terminals do not redefine: the cube and the grays.
  private enum Palette {
    static let entries: [PerceptualColor] = {
      let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
      var colors: [Color] = []
      for red in levels {
        for green in levels { for blue in levels { colors.append(Color(red, green, blue)) } }
      }
      for gray in 0..<24 {
        let level = UInt8(8 + 10 * gray)
        colors.append(Color(level, level, level))
      }
      return colors.map { PerceptualColor($0) }
    }()
  }
}
