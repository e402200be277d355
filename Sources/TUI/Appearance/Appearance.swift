import ConstraintAnimation
import Terminal

/// A theme reduced to the terminal's capabilities: a style for each role and each mark, and the glyphs.
struct Appearance: Sendable {
  let theme: Theme
  let colors: ColorProfile
  let glyphs: GlyphSet
  private let styles: [CellStyle]
  private let marks: [CellStyle]

  /// Steps of the density ramp.
  static let levels = 12

  init(theme: Theme, colors: ColorProfile, glyphs: GlyphRepertoire) {
    self.theme = theme
    self.colors = colors
    self.glyphs = GlyphSet(glyphs)
    styles = Role.allCases.map { Self.style(of: $0, theme, colors) }
    var marks = Array(repeating: CellStyle.plain, count: MarkCode.count * Self.levels)
    for value in 0..<MarkCode.count {
      guard let code = UInt8(exactly: value).map(MarkCode.init(rawValue:)), let markClass = code.markClass
      else {
        continue
      }
      for level in 0..<Self.levels {
        marks[value * Self.levels + level] =
          markClass == .good
          ? Self.ramp(theme, colors, target: code.target, level: level)
          : styles[Role(markClass).rawValue]
      }
    }
    self.marks = marks
  }

  func callAsFunction(_ role: Role) -> CellStyle { styles[role.rawValue] }

  /// The style of a cell of dots.
  @inline(__always)
  func mark(_ code: UInt8, level: Int) -> CellStyle { marks[Int(code) * Self.levels + level] }

  /// The style of a target's marks where the ramp has one step only: legends, bars.
  func target(_ index: Int) -> CellStyle {
    Self.ramp(theme, colors, target: index, level: Self.levels / 4)
  }

  var isASCII: Bool { glyphs.repertoire == .ascii }

  var hasColors: Bool { colors > .monochrome }

  /// At least 256 colors: enough for shades that differ in brightness only.
  var hasManyColors: Bool { colors >= .ansi256 }

  /// Whether classes must be distinguished without colors.
  var marksNeedGlyphs: Bool { !hasColors || isASCII }

  /// The step for a number of notifications in one cell: logarithmic, the same in every window.
  static func level(of count: UInt16) -> Int { levelTable[Int(min(count, 255))] }

  private static let levelTable: [Int] = {
    // Two steps for each doubling.
    let bounds = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
    return (0...255).map { count in max(0, (bounds.lastIndex { $0 <= count } ?? 0)) }
  }()

  private static func ramp(_ theme: Theme, _ colors: ColorProfile, target: Int, level: Int) -> CellStyle {
    let ramp = theme.targets[target % theme.targets.count]
    switch colors {
    case .monochrome:
      return CellStyle(attributes: level >= levels * 2 / 3 ? .bold : [])
    case .ansi16:
      return CellStyle(foreground: ramp.basic[level * ramp.basic.count / levels])
    case .ansi256, .trueColor:
      let fraction = Double(level) / Double(levels - 1)
      return CellStyle(foreground: ramp.sparse.blended(with: ramp.dense, fraction: fraction))
    }
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
    case .bar: theme.targets[0].sparse.blended(with: theme.targets[0].dense, fraction: 0.2)
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
  /// A cell with selected notifications: the same glyph and color on the selection's background, reversed where there are too
  /// few colors.
  func selected(_ style: CellStyle) -> CellStyle { tinted(style, with: theme.activeTab, share: 0.35) }

  /// The selected row of a list.
  func chosen(_ style: CellStyle) -> CellStyle {
    var style = tinted(style, with: theme.activeTab, share: 0.55)
    style.attributes.insert(.bold)
    return style
  }

  /// A cell in the box of a drag.
  func boxed(_ style: CellStyle) -> CellStyle { tinted(style, with: theme.secondary, share: 0.35) }

  private func tinted(_ style: CellStyle, with color: Color, share: Double) -> CellStyle {
    var style = style
    if hasManyColors {
      style.background = theme.background.blended(with: color, fraction: share)
    } else {
      style.attributes.insert(.reverse)
    }
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
    case .missed: self = .missed
    case .interrupted: self = .interrupted
    case .rejected: self = .rejected
    case .failed: self = .failed
    case .lost: self = .lost
    }
  }
}
