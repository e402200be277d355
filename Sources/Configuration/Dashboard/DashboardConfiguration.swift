/// The section `dashboard:` of the configuration: how the dashboard looks and what its keys do.
public struct DashboardConfiguration: Sendable, Hashable {
  /// How much may move.
  public enum Motion: String, Sendable, Hashable, CaseIterable {
    case full
    /// Nothing travels; colors still blend.
    case basic
    case none
  }

  /// Which way panels slide.
  public enum Slides: String, Sendable, Hashable, CaseIterable {
    case horizontal
    case vertical
  }

  /// Where the panel stands.
  public enum Arrangement: String, Sendable, Hashable, CaseIterable {
    /// Beside the plot where the terminal is wide and short, else below it.
    case automatic
    case below
    case beside
  }

  /// The keys of an action in place of its own; an empty list takes all of them away.
  public var keys: [DashboardAction: [KeyChord]]
  /// A name or a file, as behind `--theme`; a relative file belongs to the configuration's directory.
  public var theme: String?
  public var motion: Motion?
  public var slides: Slides
  public var arrangement: Arrangement
  public var ascii: Bool
  /// Whether the dashboard takes the pointer when it starts.
  public var mouse: Bool
  /// Where the plot draws a line; `nil` for none.
  public var threshold: Duration?
  /// Directories in which themes are looked for by name, `themes` beside the configuration first.
  public var themeDirectories: [String]

  public init(
    keys: [DashboardAction: [KeyChord]] = [:], theme: String? = nil, motion: Motion? = nil,
    slides: Slides = .horizontal, arrangement: Arrangement = .automatic, ascii: Bool = false,
    mouse: Bool = true,
    threshold: Duration? = nil, themeDirectories: [String] = []
  ) {
    self.keys = keys
    self.theme = theme
    self.motion = motion
    self.slides = slides
    self.arrangement = arrangement
    self.ascii = ascii
    self.mouse = mouse
    self.threshold = threshold
    self.themeDirectories = themeDirectories
  }
}
