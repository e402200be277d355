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

  public var keyPreset: KeyPreset
  /// Keys that replace an action's default keys; an empty list removes them.
  public var keys: [DashboardAction: [KeyChord]]
  /// Name or file, as with `--theme`. A relative file is relative to the configuration's directory.
  public var theme: String?
  public var motion: Motion?
  public var slides: Slides
  public var arrangement: Arrangement
  public var ascii: Bool
  /// Whether the dashboard captures the mouse at start.
  public var mouse: Bool
  /// Latency at which the plot draws a line; `nil` for none.
  public var threshold: Duration?
  /// Whether the last view of a store comes back when the store is opened again.
  public var remember: Bool
  /// Directories that are searched for themes by name, `themes` beside the configuration first.
  public var themeDirectories: [String]

  public init(
    keyPreset: KeyPreset = .classic, keys: [DashboardAction: [KeyChord]] = [:], theme: String? = nil,
    motion: Motion? = nil, slides: Slides = .horizontal, arrangement: Arrangement = .automatic,
    ascii: Bool = false, mouse: Bool = true, threshold: Duration? = nil, remember: Bool = false,
    themeDirectories: [String] = []
  ) {
    self.keyPreset = keyPreset
    self.keys = keys
    self.theme = theme
    self.motion = motion
    self.slides = slides
    self.arrangement = arrangement
    self.ascii = ascii
    self.mouse = mouse
    self.threshold = threshold
    self.remember = remember
    self.themeDirectories = themeDirectories
  }
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
    if let section { self.init(section) } else { self.init() }
    let directory = ThemeFinder.directory(of: file)
    if let theme, ThemeFinder.isFile(theme), !theme.hasPrefix("/") { self.theme = "\(directory)/\(theme)" }
    themeDirectories = ["\(directory)/themes"]
  }
}

extension DashboardConfiguration {
  /// Reads the section and reports problems.
  init(_ value: YAMLValue) {
    self.init()
    let names = [
      "keys", "theme", "motion", "slides", "arrangement", "ascii", "mouse", "threshold", "remember",
    ]
    guard let map = value.mapping(keys: names) else { return }
    theme = map["theme"]?.string(maximumBytes: 1024)
    motion = map["motion"]?.choice(of: Motion.self)
    slides = map["slides"]?.choice(of: Slides.self) ?? .horizontal
    arrangement = map["arrangement"]?.choice(of: Arrangement.self) ?? .automatic
    ascii = map["ascii"]?.boolean() ?? false
    mouse = map["mouse"]?.boolean() ?? true
    threshold = map["threshold"]?.duration(in: .microseconds(1)...(.seconds(86_400)))
    remember = map["remember"]?.boolean() ?? false
    if let keys = map["keys"] { (keyPreset, self.keys) = Self.keys(keys) }
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
