/// Section `dashboard:`: appearance and key bindings.
public struct DashboardConfiguration: Sendable, Hashable {
  /// Extent of animation.
  public enum Motion: String, Sendable, Hashable, CaseIterable {
    case full
    /// Nothing moves; colors still blend.
    case basic
    case none
  }

  /// Direction in which panels slide.
  public enum Slides: String, Sendable, Hashable, CaseIterable {
    case horizontal
    case vertical
  }

  /// Position of the panel.
  public enum Arrangement: String, Sendable, Hashable, CaseIterable {
    /// The panel is beside the plot on a wide, short terminal, else below it.
    case automatic
    case below
    case beside
  }

  /// The keys that actions have by default.
  public enum KeyPreset: String, Sendable, Hashable, CaseIterable {
    case classic
    case vim
    case less
  }

  public var keyPreset = KeyPreset.classic
  /// Keys that replace an action's default keys; an empty list removes them.
  public var keys: [DashboardAction: [KeyChord]] = [:]
  /// Name or file, as with `--theme`. A relative file is relative to the configuration's directory.
  public var theme: String?
  public var motion: Motion?
  public var slides = Slides.horizontal
  public var arrangement = Arrangement.automatic
  public var ascii = false
  public var mouse = true
  public var threshold: Duration?
  public var remember = false
  /// Directories that are searched for themes by name, `themes` beside the configuration first.
  public var themeDirectories: [String] = []

  public init() {}
}

extension DashboardConfiguration {
  /// Reads only the section `dashboard:`, since the dashboard needs neither the collector's secrets nor its targets.
  ///
  /// - Throws: all problems of the section.
  public static func load(
    path: String, environment: [String: String]
  ) throws(ConfigurationError) -> DashboardConfiguration {
    try YAMLFile.load(path: path, environment: environment) { value in
      DashboardConfiguration(section: value.peek("dashboard"), file: path)
    }
  }

  /// The section of a file, or defaults without one.
  init(section: YAMLValue?, file: String) {
    self = section.flatMap { Self($0) } ?? Self()
    let directory = ThemeFinder.directory(of: file)
    if let theme, ThemeFinder.isFile(theme), !theme.hasPrefix("/") { self.theme = "\(directory)/\(theme)" }
    themeDirectories = ["\(directory)/themes"]
  }
}

extension DashboardConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "dashboard"
    private static let standard = DashboardConfiguration()
    let keys = Key(
      "keys", .read("a section", DashboardConfiguration.keys),
      "keys for actions ([dashboard.md](dashboard.md))")
    let theme = Key(
      "theme",
      .text(
        ThemeConfiguration.Base.allCases.map { "`\($0.rawValue)`" }.joined(separator: " ")
          + ", a name or a file",
        maximumBytes: 1024), standard: "by the terminal's background", "colors")
    let motion = Key("motion", .choice(of: Motion.self), standard: "`full`", "extent of animation")
    let slides = Key(
      "slides", .choice(of: Slides.self), default: Self.standard.slides, "direction in which panels slide")
    let arrangement = Key(
      "arrangement", .choice(of: Arrangement.self), default: Self.standard.arrangement,
      "position of the panel")
    let ascii = Key("ascii", .boolean, default: Self.standard.ascii, "draw with ASCII characters only")
    let mouse = Key("mouse", .boolean, default: Self.standard.mouse, "whether the dashboard takes the mouse")
    let threshold = Key(
      "threshold", .duration(in: .microseconds(1)...(.seconds(86_400))),
      "latency at which the plot draws a line")
    let remember = Key(
      "remember", .boolean, default: Self.standard.remember, "whether a store opens with its last view")
  }

  init(_ section: Section<Keys>) {
    theme = section.theme
    motion = section.motion
    slides = section.slides
    arrangement = section.arrangement
    ascii = section.ascii
    mouse = section.mouse
    threshold = section.threshold
    remember = section.remember
    if let keys = section.keys { (keyPreset, self.keys) = keys }
  }

  private static func keys(_ value: YAMLValue) -> (KeyPreset, [DashboardAction: [KeyChord]]) {
    guard let map = value.mapping(keys: ["preset"] + DashboardAction.allCases.map(\.rawValue)) else {
      return (.classic, [:])
    }
    return (map["preset"]?.choice(of: KeyPreset.self) ?? .classic, chords(value))
  }

  private static func chords(_ value: YAMLValue) -> [DashboardAction: [KeyChord]] {
    var keys: [DashboardAction: [KeyChord]] = [:]
    var owners: [KeyChord: DashboardAction] = [:]
    // In file order, so that the second use of a key is the problem.
    for (name, value) in value.entries() ?? [] {
      guard let action = DashboardAction(rawValue: name) else { continue }
      var chords: [KeyChord] = []
      for element in value.isSequence ? value.sequence() ?? [] : [value] {
        guard let chord = element.keyChord() else { continue }
        if let owner = owners[chord] {
          element.report(
            "this key already does \"\(owner.rawValue)\"", remedy: "give each key to one action only")
        }
        owners[chord] = action
        chords.append(chord)
      }
      keys[action] = chords
    }
    return keys
  }
}

extension YAMLValue {
  /// Reads a key, also one that YAML would read as a number.
  fileprivate func keyChord() -> KeyChord? {
    guard let text = string(maximumBytes: 64) else { return nil }
    do throws(ValueTextError) {
      return try KeyChord.parse(text)
    } catch {
      report("\"\(error.text)\" \(error.problem)", remedy: error.remedy)
      return nil
    }
  }
}
