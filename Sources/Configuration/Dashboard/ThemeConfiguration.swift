/// A theme from a file: a built-in theme with some colors replaced.
public struct ThemeConfiguration: Sendable, Hashable {
  /// The built-in themes.
  public enum Base: String, Sendable, Hashable, CaseIterable {
    case dark
    case light
    case colorBlind = "colour-blind"
  }

  /// 24 bits of red, green and blue.
  public struct RGB: Sendable, Hashable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
  }

  /// Color range from a single mark to the densest cell.
  public struct Ramp: Sendable, Hashable {
    public var sparse: RGB
    public var dense: RGB
  }

  public var name: String
  public var base = Base.dark
  public var colors: [ThemeColor: RGB] = [:]
  /// Colors of targets in the run's order; empty: those of the base.
  public var targets: [Ramp] = []

  /// Reads a theme file.
  ///
  /// - Throws: all problems, in file order.
  public static func load(path: String) throws(ConfigurationError) -> ThemeConfiguration {
    try YAMLFile.load(path: path, environment: [:]) { Self($0, file: path) }
  }

  /// Count of distinct target styles.
  static let maximumTargets = 16
}

extension ThemeConfiguration {
  init?(_ value: YAMLValue, file: String) {
    guard let map = value.mapping(keys: ["name", "base", "colours", "targets"]) else { return nil }
    var stem = String(file.split(separator: "/").last ?? "theme")
    for suffix in [".yaml", ".yml"] where stem.hasSuffix(suffix) { stem.removeLast(suffix.count) }
    self.init(name: map["name"]?.string(maximumBytes: 64) ?? stem)
    base = map["base"]?.choice(of: Base.self) ?? .dark
    if let colors = map["colours"]?.mapping(keys: ThemeColor.allCases.map(\.rawValue)) {
      for color in ThemeColor.allCases {
        if let rgb = colors[color.rawValue]?.color() { self.colors[color] = rgb }
      }
    }
    for element in map["targets"]?.sequence() ?? [] {
      guard let ramp = element.mapping(keys: ["sparse", "dense"]) else { continue }
      let sparse = ramp.required("sparse", example: "sparse: \"#2ea4aa\"")?.color()
      let dense = ramp.required("dense", example: "dense: \"#92f0e8\"")?.color()
      guard let sparse, let dense else { continue }
      if targets.count == Self.maximumTargets {
        element.report("is one target too many", remedy: "keep the first \(Self.maximumTargets)")
      }
      targets.append(Ramp(sparse: sparse, dense: dense))
    }
  }
}

extension YAMLValue {
  /// Reads `#rrggbb`. Without quotes it is a YAML comment, and the missing value is reported.
  fileprivate func color() -> ThemeConfiguration.RGB? {
    guard let text = string(maximumBytes: 64) else { return nil }
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16)
    else {
      report("is not a color", remedy: "write six hexadecimal digits in quotes, like \"#2ea4aa\"")
      return nil
    }
    return ThemeConfiguration.RGB(
      red: UInt8(value >> 16 & 0xFF), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
  }
}

/// Colors of a theme by purpose, as theme files name them.
public enum ThemeColor: String, Sendable, Hashable, CaseIterable {
  case background
  case text
  case secondary
  /// Frames and axes.
  case faint
  case grid
  case accent
  case activeTab = "active-tab"
  case inactiveTab = "inactive-tab"
  case median
  case live
  case warning
  case alarm
  case pending
  case late
  case missed
  case interrupted
  case rejected
  case failed
  case lost
  case ghost
}

/// Finds theme files.
public enum ThemeFinder {
  /// Whether the text is a file rather than a theme's name: it contains a slash or ends in `.yaml` or `.yml`.
  public static func isFile(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
  }

  /// Directories that are searched without a configuration: the user's, then the system's.
  public static func defaultDirectories(environment: [String: String]) -> [String] {
    PushscopeConfiguration.defaultPaths(environment: environment).map { directory(of: $0) + "/themes" }
  }

  /// Possible files of a theme, in search order.
  public static func candidates(for name: String, in directories: [String]) -> [String] {
    // A name must not lead to another directory.
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else { return [] }
    return directories.flatMap { ["\($0)/\(name).yaml", "\($0)/\(name).yml"] }
  }

  /// Directory of a file.
  public static func directory(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }
}
