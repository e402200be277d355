import Configuration
import ConstraintAnimation
import Glibc

extension Theme {
  /// The theme that a name or a file means: a built-in one, then one of the user's directories.
  /// - Throws: when there is none, or its file has mistakes.
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
      // Each problem says its place and what to do.
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
      let (sparse, dense) = (Color(ramp.sparse), Color(ramp.dense))
      return Ramp(sparse: sparse, dense: dense, basic: base.targets[place % base.targets.count].basic)
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
