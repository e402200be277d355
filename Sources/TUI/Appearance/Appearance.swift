import ConstraintAnimation
import Terminal

/// A theme reduced to the terminal's capabilities: a style for each role and each mark, and the glyphs.
struct Appearance: Sendable, Equatable {
  let theme: Theme
  let colors: ColorProfile
  let glyphs: GlyphSet
  private let styles: [CellStyle]
  /// Ramps of colors by target, then by level; empty without colors.
  private let ramps: [[Color]]
  private let marks: [CellStyle]
  private let mixtures: [CellStyle]

  /// Steps of the density ramp.
  static let levels = DensitySteps.most

  init(theme: Theme, colors: ColorProfile, glyphs: GlyphRepertoire) {
    self.theme = theme
    self.colors = colors
    self.glyphs = GlyphSet(glyphs)
    let ramps = Self.ramps(theme, colors)
    self.ramps = ramps
    styles = Role.allCases.map { Self.style(of: $0, theme, colors) }
    var marks = Array(repeating: CellStyle.plain, count: MarkCode.count * Self.levels)
    for value in 0..<MarkCode.count {
      guard let code = UInt16(exactly: value).map(MarkCode.init(rawValue:)), let markClass = code.markClass
      else {
        continue
      }
      for level in 0..<Self.levels {
        marks[value * Self.levels + level] =
          markClass == .good
          ? Self.ramp(ramps, target: code.target, level: level)
          : styles[Role(markClass).rawValue]
      }
    }
    self.marks = marks
    mixtures = colors >= .ansi256 ? Self.mixtures(ramps) : []
  }

  /// All else follows from these.
  static func == (left: Appearance, right: Appearance) -> Bool {
    left.colors == right.colors && left.glyphs.repertoire == right.glyphs.repertoire
      && left.theme == right.theme
  }

  func callAsFunction(_ role: Role) -> CellStyle { styles[role.rawValue] }

  /// The style of a cell of dots.
  @inline(__always)
  func mark(_ code: UInt16, level: Int) -> CellStyle { marks[Int(code) * Self.levels + level] }

  // MARK: - Targets

  /// How many targets have a color of their own; the others have a sign of their own.
  var distinctTargets: Int {
    max(1, ramps.count)
  }

  /// The number of hues of the palette of sixteen: yellow and red stand for what went wrong.
  private static let basicHues = 4

  /// The character that a target's cells and legend have; `nil` where its color is enough.
  func targetGlyph(_ index: Int) -> UInt32? {
    index < distinctTargets ? nil : GlyphSet.targetGlyphs[index % GlyphSet.targetGlyphs.count]
  }

  /// A target's sign in legends.
  func targetSign(_ index: Int) -> String {
    guard let glyph = targetGlyph(index), let scalar = Unicode.Scalar(glyph) else {
      return glyphs.sign(of: .good)
    }
    return String(Character(scalar))
  }

  /// The style of a target's marks where the ramp has one step only: legends, bars.
  func target(_ index: Int) -> CellStyle {
    Self.ramp(ramps, target: index, level: Self.levels / 2)
  }

  /// The style of a cell that holds notifications of two targets, each of which has a color of its own.
  /// - Parameter quarters: the share of the second, 0 to 2.
  @inline(__always)
  func mixture(of target: Int, with other: Int, quarters: Int, level: Int) -> CellStyle {
    let count = ramps.count
    return mixtures[((target * count + other) * Self.mixtureSteps + quarters) * Self.levels + level]
  }

  /// Shares that a mixture is rounded to: none, a quarter, half.
  private static let mixtureSteps = 3

  private static func mixtures(_ colors: [[Color]]) -> [CellStyle] {
    let ramps = colors.map { $0.map { PerceptualColor($0) } }
    var styles: [CellStyle] = []
    styles.reserveCapacity(ramps.count * ramps.count * mixtureSteps * levels)
    for ramp in ramps {
      for other in ramps {
        for quarters in 0..<mixtureSteps {
          for level in 0..<levels {
            let mixed = ramp[level].mixed(with: other[level], fraction: Double(quarters) / 4)
            styles.append(CellStyle(foreground: mixed.color))
          }
        }
      }
    }
    return styles
  }

  // MARK: - Capabilities

  var isASCII: Bool { glyphs.repertoire == .ascii }

  var hasColors: Bool { colors > .monochrome }

  /// Whether there are at least 256 colors: enough for shades that differ in brightness only.
  var hasManyColors: Bool { colors >= .ansi256 }

  /// Whether classes must be distinguished without colors.
  var marksNeedGlyphs: Bool { !hasColors || isASCII }

  // MARK: - Density

  /// The step for a number of notifications in one cell: logarithmic, the same in every window.
  static func level(of count: UInt16) -> Int { levelTable[Int(min(count, 1_023))] }

  private static let levelTable: [Int] = {
    // From one notification to what 10 000 a second put into a cell.
    let bounds = [1, 2, 3, 5, 8, 14, 25, 45, 90, 180, 400, 900]
    return (0...1_023).map { count in max(0, (bounds.lastIndex { $0 <= count } ?? 0)) }
  }()

  private static func ramps(_ theme: Theme, _ colors: ColorProfile) -> [[Color]] {
    let levels = 0..<Self.levels
    return switch colors {
    case .monochrome: []
    case .ansi16:
      theme.targets.prefix(basicHues).map { ramp in
        levels.map { ramp.basic[$0 * ramp.basic.count / levels.count] }
      }
    case .ansi256:
      // Targets whose colors the palette cannot tell from those of others have a sign instead.
      theme.paletteSteps.map { steps in levels.map { steps.color(of: $0, among: levels.count) } }
    case .trueColor: theme.targets.map { $0.steps.colors }
    }
  }

  private static func ramp(_ ramps: [[Color]], target: Int, level: Int) -> CellStyle {
    guard !ramps.isEmpty else { return CellStyle(attributes: level >= levels * 2 / 3 ? .bold : []) }
    return CellStyle(foreground: ramps[target % ramps.count][level])
  }

  /// The background of a cell whose density is shown as a shade, under a line or in a heat map.
  /// - Parameter strength: how much of the ramp's color it has, 0 to 1.
  func shade(_ code: UInt16, level: Int, strength: Double) -> Color? {
    guard hasManyColors else { return nil }
    return mark(code, level: level).foreground.map { theme.background.blended(with: $0, fraction: strength) }
  }

  private static func style(of role: Role, _ theme: Theme, _ colors: ColorProfile) -> CellStyle {
    if colors == .monochrome { return CellStyle(attributes: monochrome(role)) }
    if colors == .ansi16, role == .text || role == .strong || role == .key {
      // Of sixteen colors only the terminal's default text color is certainly readable.
      return CellStyle(attributes: role == .text ? [] : .bold)
    }
    // The nearest of sixteen colors to a shade close to the background is the background itself.
    if colors == .ansi16, role == .ghost { return CellStyle(attributes: .dim) }
    if colors == .ansi16, role == .faint { return CellStyle(foreground: .basicGrey) }
    return CellStyle(
      foreground: color(of: role, theme), attributes: role == .strong || role == .brand ? .bold : [])
  }

  private static func monochrome(_ role: Role) -> CellAttributes {
    switch role {
    case .strong, .brand, .key, .median, .late, .warning: .bold
    case .selected: [.reverse, .bold]
    case .mean, .threshold, .crosshair: []
    case .alarm, .lost, .failed, .rejected: [.bold, .reverse]
    case .faint, .grid, .ghost, .secondary, .pending: .dim
    case .frozen: .reverse
    case .text, .accent, .live, .bar, .missed, .interrupted: []
    }
  }

  private static func color(of role: Role, _ theme: Theme) -> Color {
    switch role {
    case .text, .strong: theme.text
    case .secondary: theme.secondary
    case .faint: theme.faint
    case .grid: theme.grid
    case .accent, .brand: theme.accent
    case .key: theme.text
    case .median, .crosshair: theme.median
    case .mean: theme.accent
    case .threshold: theme.warning
    case .selected: theme.activeTab
    case .live: theme.live
    case .frozen: theme.accent
    case .warning: theme.warning
    case .alarm: theme.alarm
    case .ghost: theme.ghost
    case .bar: theme.targets[0].steps.colors[levels / 2]
    case .pending: theme.pending
    case .late: theme.late
    case .missed: theme.missed
    case .interrupted: theme.interrupted
    case .rejected: theme.rejected
    case .failed: theme.failed
    case .lost: theme.lost
    }
  }
}

extension Appearance {
  /// A cell with selected notifications.
  var selected: CellTint { tint(theme.activeTab, share: 0.35) }

  /// The selected row of a list.
  func chosen(_ style: CellStyle) -> CellStyle {
    var style = tint(theme.activeTab, share: 0.55)(style)
    style.attributes.insert(.bold)
    return style
  }

  /// A cell in the box of a drag.
  var boxed: CellTint { tint(theme.secondary, share: 0.35) }

  private func tint(_ color: Color, share: Double) -> CellTint {
    CellTint(background: hasManyColors ? theme.background.blended(with: color, fraction: share) : nil)
  }
}

/// The same glyph and color on another background, reversed where there are too few colors for one.
struct CellTint: Sendable {
  fileprivate let background: Color?

  func callAsFunction(_ style: CellStyle) -> CellStyle {
    var style = style
    if let background { style.background = background } else { style.attributes.insert(.reverse) }
    return style
  }
}

/// The purpose of a text or line, which decides its style.
enum Role: Int, Sendable, Hashable, CaseIterable {
  case text
  case strong
  case secondary
  /// Frames, axes.
  case faint
  case grid
  case accent
  case brand
  case median
  case mean
  /// The threshold line and its label.
  case threshold
  /// The crosshair's lines.
  case crosshair
  /// Selected notifications.
  case selected
  case live
  case frozen
  case warning
  case alarm
  case ghost
  case bar
  /// A key in the help and in the footer.
  case key
  case pending
  case late
  case missed
  case interrupted
  case rejected
  case failed
  case lost

  init(_ markClass: MarkClass) {
    switch markClass {
    case .pending: self = .pending
    case .good: self = .bar
    case .late: self = .late
    case .unseen: self = .lost
    case .missed: self = .missed
    case .interrupted: self = .interrupted
    case .rejected: self = .rejected
    case .failed: self = .failed
    case .lost: self = .lost
    }
  }
}
