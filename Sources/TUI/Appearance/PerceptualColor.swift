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

  /// A color between this one, at 0, and another, at 1.
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
  static let paletteCount = 6

  /// - Parameter count: number of steps.
  init(from sparse: Color, to dense: Color, count: Int) {
    let (start, end) = (PerceptualColor(sparse), PerceptualColor(dense))
    colors = (0..<count).map {
      start.mixed(with: end, fraction: Double($0) / Double(max(1, count - 1))).color
    }
  }

  private init(colors: [Color]) { self.colors = colors }

  /// Steps of xterm's palette: near the even ones, as far from each other as these are, and at every step far enough from
  /// the colors that other ramps have there. A ramp for which there are none is left out.
  static func ofPalette(_ ramps: [(sparse: Color, dense: Color)]) -> [DensitySteps] {
    var taken: [[Int]] = []
    for ramp in ramps {
      let path = PalettePath(
        from: PerceptualColor(ramp.sparse), to: PerceptualColor(ramp.dense), beside: taken)
      if let entries = path.entries { taken.append(entries) }
    }
    return taken.map { entries in DensitySteps(colors: entries.map { Palette.entries[$0].color }) }
  }

  /// The color of a level from 0 up to one less than `levels`.
  func color(of level: Int, among levels: Int) -> Color { colors[level * colors.count / levels] }
}

/// The entries of the palette that come closest to an even ramp, found by dynamic programming.
private struct PalettePath {
  /// Indices into ``Palette``; `nil` where no colors are left that can be told from those of other ramps.
  let entries: [Int]?

  /// Colors of one step that are closer than this look alike.
  private static let leastDistance = 0.055
  /// Candidates of each step.
  private static let candidates = 24

  /// - Parameter taken: the ramps that there are already.
  init(from start: PerceptualColor, to end: PerceptualColor, beside taken: [[Int]]) {
    let count = DensitySteps.paletteCount
    let step = start.distance(to: end) / Double(count - 1)
    let isRising = end.lightness > start.lightness
    /// A ramp that changes its hue looks worse than one whose brightness is a little off.
    func cost(_ entry: Int, _ wanted: PerceptualColor) -> Double {
      let color = Palette.entries[entry]
      let (x, y, z) = (color.lightness - wanted.lightness, color.a - wanted.a, color.b - wanted.b)
      return x * x + 3 * (y * y + z * z)
    }
    func isFree(_ entry: Int, _ place: Int) -> Bool {
      taken.allSatisfy { other in
        !other.contains(entry)
          && Palette.entries[entry].distance(to: Palette.entries[other[place]]) >= Self.leastDistance
      }
    }
    var ways: [(cost: Double, entries: [Int])] = [(0, [])]
    for place in 0..<count {
      let wanted = start.mixed(with: end, fraction: Double(place) / Double(count - 1))
      let near = Palette.entries.indices.filter { isFree($0, place) }.map {
        (entry: $0, cost: cost($0, wanted))
      }
      .sorted { $0.cost < $1.cost }.prefix(Self.candidates)
      ways = near.compactMap { candidate -> (cost: Double, entries: [Int])? in
        let own = Palette.entries[candidate.entry]
        var best: (cost: Double, way: Int)?
        for (index, way) in ways.enumerated() {
          var total = way.cost + candidate.cost
          if let last = way.entries.last {
            let before = Palette.entries[last]
            let rise = isRising ? own.lightness - before.lightness : before.lightness - own.lightness
            guard rise >= 0.02 else { continue }
            let off = own.distance(to: before) - step
            total += 8 * off * off
          }
          if total < best?.cost ?? .infinity { best = (total, index) }
        }
        return best.map { ($0.cost, ways[$0.way].entries + [candidate.entry]) }
      }
    }
    entries = ways.min { $0.cost < $1.cost }?.entries
  }
}

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
