import ConstraintAnimation

/// The gallery's colors. The terminal's own background stays; a palette says which one it is meant for.
struct CommandPalette: Sendable, Hashable {
  let background: Color
  let text: Color
  let secondary: Color
  /// Rules, axes and what only helps to find one's way.
  let faint: Color
  let accent: Color

  let blue: Color
  let teal: Color
  let green: Color
  let amber: Color
  let rose: Color
  let violet: Color

  /// How much of a hue is in the area of a tile.
  private let tint: Double

  /// The hues in the order in which things that lie side by side take them.
  var hues: [Color] { [blue, teal, amber, rose, violet, green] }

  /// The background of something drawn in `hue`.
  func fill(_ hue: Color) -> Color { background.blended(with: hue, fraction: tint) }

  static let dark = CommandPalette(
    background: Color(0, 0, 0), text: Color(222, 226, 234), secondary: Color(150, 157, 170),
    faint: Color(92, 100, 115), accent: Color(0, 215, 215), blue: Color(97, 160, 255),
    teal: Color(64, 200, 186), green: Color(126, 204, 110), amber: Color(238, 190, 84),
    rose: Color(240, 110, 132), violet: Color(184, 140, 246), tint: 0.22)

  static let light = CommandPalette(
    background: Color(255, 255, 255), text: Color(34, 40, 52), secondary: Color(92, 100, 115),
    faint: Color(160, 166, 178), accent: Color(0, 118, 128), blue: Color(24, 96, 214),
    teal: Color(0, 128, 118), green: Color(42, 130, 32), amber: Color(160, 104, 0),
    rose: Color(200, 36, 72), violet: Color(112, 62, 196), tint: 0.14)

  /// For terminals of sixteen colours: hues that are among them, and areas without a tint, as there are no dark ones.
  static let basicDark = CommandPalette(
    background: Color(0, 0, 0), text: Color(255, 255, 255), secondary: Color(229, 229, 229),
    faint: Color(127, 127, 127), accent: Color(0, 255, 255), blue: Color(92, 92, 255),
    teal: Color(0, 205, 205), green: Color(0, 205, 0), amber: Color(205, 205, 0), rose: Color(255, 0, 0),
    violet: Color(205, 0, 205), tint: 0)

  static let basicLight = CommandPalette(
    background: Color(255, 255, 255), text: Color(0, 0, 0), secondary: Color(0, 0, 0),
    faint: Color(127, 127, 127), accent: Color(0, 0, 238), blue: Color(92, 92, 255), teal: Color(0, 0, 238),
    green: Color(0, 205, 0), amber: Color(127, 127, 127), rose: Color(205, 0, 0), violet: Color(205, 0, 205),
    tint: 0)

  /// The one for a terminal with this background and this many colors.
  static func suited(to background: Color, hasManyColors: Bool) -> CommandPalette {
    let brightness =
      0.299 * Double(background.red) + 0.587 * Double(background.green) + 0.114 * Double(background.blue)
    if brightness > 140 { return hasManyColors ? .light : .basicLight }
    return hasManyColors ? .dark : .basicDark
  }
}
