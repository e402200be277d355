extension DashboardConfiguration {
  /// Reads the section `dashboard:` of a configuration and nothing else: whoever looks needs neither the collector's
  /// secrets nor its targets to be right.
  /// - Throws: all mistakes of the section at once.
  public static func load(
    path: String, environment: [String: String]
  ) throws(ConfigurationError) -> DashboardConfiguration {
    try YAMLFile.load(path: path, environment: environment) { value in
      DashboardConfiguration(section: value.peek("dashboard"), file: path)
    }
  }

  /// The section of a file, or what holds without one.
  init(section: YAMLValue?, file: String) {
    if let section { self.init(section) } else { self.init() }
    let directory = ThemeFinder.directory(of: file)
    if let theme, ThemeFinder.isFile(theme), !theme.hasPrefix("/") { self.theme = "\(directory)/\(theme)" }
    themeDirectories = ["\(directory)/themes"]
  }
}
