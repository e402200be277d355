import Configuration
import ConstraintAnimation
import Glibc

/// The dashboard's colors in 24 bits, reduced on terminals with fewer colors.
///
/// The terminal's background is not changed: a theme states which background it is meant for.
struct Theme: Sendable, Hashable {
  /// Colors by density: from a single mark to many in one cell.
  struct Ramp: Sendable, Hashable {
    let sparse: Color
    let dense: Color
    /// Three steps for terminals with sixteen colors.
    let basic: [Color]

    /// The steps for terminals with 24 bits a color.
    var steps: DensitySteps { DensitySteps(from: sparse, to: dense, count: DensitySteps.most) }
  }

  let name: String
  /// The assumed background of the terminal, for fading and tints.
  let background: Color
  let text: Color
  let secondary: Color
  /// Frames and axes.
  let faint: Color
  /// The grid behind the dots.
  let grid: Color
  let accent: Color
  let activeTab: Color
  let inactiveTab: Color
  let median: Color
  let live: Color
  let warning: Color
  let alarm: Color
  /// The ramps of targets, in the run's order. Where there are more targets, the others have a sign of their own
  /// beside their color.
  let targets: [Ramp]
  let pending: Color
  let late: Color
  let missed: Color
  let interrupted: Color
  let rejected: Color
  let failed: Color
  let lost: Color
  let ghost: Color

  /// The steps of the targets for terminals with 256 colors, fewer where the palette cannot tell all targets apart.
  var paletteSteps: [DensitySteps] {
    DensitySteps.ofPalette(targets.map { (sparse: $0.sparse, dense: $0.dense) })
  }
}

extension Theme {
  static let dark = Theme(
    name: "dark", background: Color(13, 17, 23), text: Color(222, 228, 235), secondary: Color(139, 150, 163),
    faint: Color(66, 76, 88), grid: Color(38, 45, 54), accent: Color(94, 214, 219),
    activeTab: Color(0, 255, 255),
    inactiveTab: Color(96, 148, 255), median: Color(255, 255, 255), live: Color(86, 211, 100),
    warning: Color(240, 180, 41), alarm: Color(255, 92, 92),
    targets: [
      Ramp(
        sparse: Color(0, 126, 127), dense: Color(203, 249, 248),
        basic: [.basicCyan, .basicBrightCyan, .basicWhite]),
      Ramp(
        sparse: Color(121, 81, 187), dense: Color(244, 229, 255),
        basic: [.basicMagenta, .basicMagenta, .basicWhite]),
      Ramp(
        sparse: Color(51, 127, 31), dense: Color(215, 250, 207),
        basic: [.basicGreen, .basicBrightGreen, .basicWhite]),
      Ramp(
        sparse: Color(45, 106, 193), dense: Color(211, 241, 255),
        basic: [.basicBlue, .basicBrightBlue, .basicWhite]),
      Ramp(
        sparse: Color(112, 113, 2), dense: Color(240, 242, 203),
        basic: [.basicCyan, .basicBrightCyan, .basicWhite]),
      Ramp(
        sparse: Color(152, 75, 137), dense: Color(255, 224, 254),
        basic: [.basicMagenta, .basicMagenta, .basicWhite]),
    ],
    pending: Color(110, 118, 130), late: Color(240, 180, 41), missed: Color(150, 150, 165),
    interrupted: Color(188, 140, 255), rejected: Color(255, 139, 61), failed: Color(255, 92, 92),
    lost: Color(255, 77, 148), ghost: Color(48, 57, 68))

  static let light = Theme(
    name: "light", background: Color(255, 255, 255), text: Color(31, 35, 40), secondary: Color(94, 104, 115),
    faint: Color(176, 184, 194), grid: Color(226, 230, 235), accent: Color(0, 121, 128),
    activeTab: Color(0, 118, 128), inactiveTab: Color(10, 96, 254), median: Color(20, 20, 20),
    live: Color(26, 127, 55), warning: Color(168, 102, 0), alarm: Color(196, 24, 32),
    targets: [
      Ramp(
        sparse: Color(79, 190, 196), dense: Color(0, 73, 79),
        basic: [.basicCyan, .basicCyan, .basicBlack]),
      Ramp(
        sparse: Color(181, 149, 253), dense: Color(70, 40, 118),
        basic: [.basicMagenta, .basicMagenta, .basicBlack]),
      Ramp(
        sparse: Color(109, 194, 105), dense: Color(0, 76, 0),
        basic: [.basicGreen, .basicGreen, .basicBlack]),
      Ramp(
        sparse: Color(115, 171, 255), dense: Color(15, 58, 122),
        basic: [.basicBlue, .basicBlue, .basicBlack]),
      Ramp(
        sparse: Color(178, 176, 79), dense: Color(67, 64, 0),
        basic: [.basicCyan, .basicCyan, .basicBlack]),
      Ramp(
        sparse: Color(224, 135, 206), dense: Color(96, 30, 85),
        basic: [.basicMagenta, .basicMagenta, .basicBlack]),
    ],
    pending: Color(160, 167, 176), late: Color(191, 118, 0), missed: Color(110, 110, 126),
    interrupted: Color(120, 72, 200), rejected: Color(200, 82, 0), failed: Color(196, 24, 32),
    lost: Color(190, 12, 100), ghost: Color(214, 220, 226))

  /// The palette of Okabe and Ito, distinguishable with all common kinds of color blindness.
  static let colorBlind = Theme(
    name: "colour-blind", background: Color(13, 17, 23), text: Color(228, 232, 236),
    secondary: Color(150, 158, 168), faint: Color(72, 80, 90), grid: Color(40, 46, 54),
    accent: Color(86, 180, 233), activeTab: Color(240, 228, 66), inactiveTab: Color(86, 180, 233),
    median: Color(255, 255, 255), live: Color(86, 180, 233), warning: Color(240, 228, 66),
    alarm: Color(232, 112, 40),
    targets: [
      Ramp(
        sparse: Color(0, 114, 176), dense: Color(205, 244, 255),
        basic: [.basicBlue, .basicBrightBlue, .basicWhite]),
      Ramp(
        sparse: Color(0, 130, 88), dense: Color(203, 252, 229),
        basic: [.basicGreen, .basicBrightGreen, .basicWhite]),
      Ramp(
        sparse: Color(156, 76, 121), dense: Color(255, 225, 246),
        basic: [.basicMagenta, .basicMagenta, .basicWhite]),
      Ramp(
        sparse: Color(102, 108, 117), dense: Color(236, 239, 243),
        basic: [.basicGrey, .basicWhite, .basicWhite]),
    ],
    pending: Color(112, 120, 130), late: Color(240, 228, 66), missed: Color(160, 160, 160),
    interrupted: Color(204, 121, 167), rejected: Color(230, 159, 0), failed: Color(255, 122, 84),
    lost: Color(255, 88, 24), ghost: Color(50, 58, 68))

  /// The built-in themes, the default first.
  static let all = [dark, light, colorBlind]

  /// The built-in theme with a name; `nil` if there is none.
  static func named(_ name: String) -> Theme? {
    let wanted = name.lowercased()
    return all.first { $0.name == wanted || wanted == "color-blind" && $0.name == "colour-blind" }
  }
}

extension Theme {
  /// The theme of a name or file: a built-in one, or one of the user's directories.
  /// - Throws: if there is none, or its file is invalid.
  static func find(_ name: String, in directories: [String]) throws(DashboardError) -> Theme {
    if ThemeFinder.isFile(name) { return try read(name) }
    if let theme = named(name) { return theme }
    for file in ThemeFinder.candidates(for: name, in: directories) where access(file, F_OK) == 0 {
      return try read(file)
    }
    throw DashboardError.unknownTheme(name)
  }

  private static func read(_ file: String) throws(DashboardError) -> Theme {
    do throws(ConfigurationError) {
      return Theme(try ThemeConfiguration.load(path: file))
    } catch {
      // Each problem includes its position and a remedy.
      var message = "the theme \(file) cannot be used"
      if let first = error.problems.first {
        message = "\(first.place): \(first.key.isEmpty ? "" : "\(first.key): ")\(first.message)"
      }
      if error.problems.count > 1 { message += " (and \(error.problems.count - 1) more)" }
      throw DashboardError(
        code: .unknownTheme, message: message,
        remedy: error.problems.first?.remedy ?? "compare it with config/themes")
    }
  }

  /// A built-in theme with some of its colors replaced.
  init(_ file: ThemeConfiguration) {
    let base: Theme =
      switch file.base {
      case .dark: .dark
      case .light: .light
      case .colorBlind: .colorBlind
      }
    func color(_ name: ThemeColor, _ original: Color) -> Color {
      file.colors[name].map { Color($0) } ?? original
    }
    let targets = file.targets.enumerated().map { place, ramp in
      Ramp(
        sparse: Color(ramp.sparse), dense: Color(ramp.dense),
        basic: base.targets[place % base.targets.count].basic)
    }
    self.init(
      name: file.name, background: color(.background, base.background), text: color(.text, base.text),
      secondary: color(.secondary, base.secondary), faint: color(.faint, base.faint),
      grid: color(.grid, base.grid), accent: color(.accent, base.accent),
      activeTab: color(.activeTab, base.activeTab), inactiveTab: color(.inactiveTab, base.inactiveTab),
      median: color(.median, base.median), live: color(.live, base.live),
      warning: color(.warning, base.warning), alarm: color(.alarm, base.alarm),
      targets: targets.isEmpty ? base.targets : targets, pending: color(.pending, base.pending),
      late: color(.late, base.late), missed: color(.missed, base.missed),
      interrupted: color(.interrupted, base.interrupted), rejected: color(.rejected, base.rejected),
      failed: color(.failed, base.failed), lost: color(.lost, base.lost), ghost: color(.ghost, base.ghost))
  }
}

extension Color {
  fileprivate init(_ rgb: ThemeConfiguration.RGB) { self.init(rgb.red, rgb.green, rgb.blue) }
}

/// The sixteen colors of a terminal's palette, as the values that `ColorProfile.ansi16` maps to them exactly.
extension Color {
  static let basicBlack = Color(0x00, 0x00, 0x00)
  static let basicGreen = Color(0x00, 0xCD, 0x00)
  static let basicBlue = Color(0x00, 0x00, 0xEE)
  static let basicMagenta = Color(0xCD, 0x00, 0xCD)
  static let basicCyan = Color(0x00, 0xCD, 0xCD)
  static let basicGrey = Color(0x7F, 0x7F, 0x7F)
  static let basicBrightGreen = Color(0x00, 0xFF, 0x00)
  static let basicBrightBlue = Color(0x5C, 0x5C, 0xFF)
  static let basicBrightCyan = Color(0x00, 0xFF, 0xFF)
  static let basicWhite = Color(0xFF, 0xFF, 0xFF)
}
