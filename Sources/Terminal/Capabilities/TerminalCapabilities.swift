/// What a terminal can show, determined from environment variables alone.
///
/// A pure function of its input, so that tests cover terminals that are not installed. What only the terminal
/// itself knows (synchronized output) is asked later.
public struct TerminalCapabilities: Sendable, Hashable {
  public var colors: ColorProfile
  public var glyphs: GlyphRepertoire
  /// The terminal decodes UTF-8.
  public var decodesUTF8: Bool
  public var synchronizedOutput: SynchronizedOutput
  /// Reports buttons and motion.
  public var reportsMouse: Bool
  /// Erasing fills with the current background color.
  public var erasesWithBackground: Bool
  /// tmux or screen stands between: bytes cost more, and what the outer terminal can do is not known for sure.
  public var isMultiplexed: Bool

  /// What people may decide against the evidence.
  public struct Overrides: Sendable, Hashable {
    public var colors: ColorProfile?
    /// A terminal that does not decode UTF-8 stays with ASCII.
    public var glyphs: GlyphRepertoire?

    public init(colors: ColorProfile? = nil, glyphs: GlyphRepertoire? = nil) {
      self.colors = colors
      self.glyphs = glyphs
    }
  }

  /// - Parameters:
  ///   - environment: TERM, COLORTERM, NO_COLOR, LC_ALL, LC_CTYPE, LANG and the variables that terminals set about
  ///     themselves.
  ///   - codeset: what the C library says the locale's encoding is (`nl_langinfo(CODESET)`); `nil` to go by the
  ///     locale's name alone.
  ///   - terminfoColors: terminfo's `colors`, for terminals not known by name.
  public init(
    environment: [String: String], codeset: String? = nil, terminfoColors: Int? = nil,
    overrides: Overrides = Overrides()
  ) {
    let terminal = TerminalKind(environment: environment)
    isMultiplexed = terminal.isMultiplexed
    let decodesUTF8 = Self.decodesUTF8(environment, codeset: codeset, terminal: terminal)
    self.decodesUTF8 = decodesUTF8
    colors = overrides.colors ?? Self.colors(environment, terminal, terminfoColors)
    glyphs = decodesUTF8 ? overrides.glyphs ?? terminal.glyphs : .ascii
    synchronizedOutput = terminal.synchronizedOutput
    reportsMouse = terminal.reportsMouse
    erasesWithBackground = terminal.erasesWithBackground
  }

  /// How the writer paints on this terminal. With ASCII glyphs, names and units are ASCII too.
  public var outputProfile: OutputProfile {
    OutputProfile(
      colors: colors, encodesUTF8: decodesUTF8 && glyphs != .ascii,
      erasesWithBackground: erasesWithBackground,
      synchronizesOutput: synchronizedOutput == .supported)
  }

  /// https://no-color.org: present and not empty.
  private static func colors(
    _ environment: [String: String], _ terminal: TerminalKind, _ terminfoColors: Int?
  ) -> ColorProfile {
    if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return .monochrome }
    let announced = environment["COLORTERM"]?.lowercased()
    // screen passes on what the terminal around it announced, and then does not keep the promise.
    if terminal.believesColorTerm, announced == "truecolor" || announced == "24bit" { return .trueColor }
    if let colors = terminal.colors { return colors }
    switch terminfoColors ?? 16 {
    case ..<8: return .monochrome
    case ..<256: return .ansi16
    case ..<(1 << 24): return .ansi256
    default: return .trueColor
    }
  }

  private static func decodesUTF8(
    _ environment: [String: String], codeset: String?, terminal: TerminalKind
  ) -> Bool {
    if !terminal.mayDecodeUTF8 { return false }
    // The first that is set and not empty decides (POSIX, 8.2).
    let name =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    let named = name.split(separator: ".").dropFirst().first?.lowercased().filter { $0 != "-" }
    // A locale by name says what people meant, even where the C library has not got it.
    if named?.hasPrefix("utf8") ?? false { return true }
    // No locale at all says nothing about the terminal, and terminals decode UTF-8.
    if name == "C" || name == "POSIX" { return true }
    return codeset?.uppercased() == "UTF-8"
  }
}

/// How many colors reach the screen.
public enum ColorProfile: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Attributes only.
  case monochrome
  /// The sixteen colors of the terminal's own palette.
  case ansi16
  /// The color cube and gray ramp of xterm.
  case ansi256
  /// 24 bits of RGB.
  case trueColor

  public static func < (left: ColorProfile, right: ColorProfile) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Which characters plots may be made of. Each contains those before it.
public enum GlyphRepertoire: Int, Sendable, Hashable, Comparable, CaseIterable {
  case ascii
  /// Lines, ▀▄█▌▐ and shades: what a console font of 256 glyphs has.
  case halfBlocks
  /// Eighths and quadrants.
  case blocks
  /// 2×4 dots in a cell.
  case braille
  /// 2×4 solid blocks in a cell (Unicode 16), so far in few fonts and terminals.
  case octants

  public static func < (left: GlyphRepertoire, right: GlyphRepertoire) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Whether the terminal shows a frame at once when it stands between `CSI ? 2026 h` and `CSI ? 2026 l`.
public enum SynchronizedOutput: Sendable, Hashable {
  case unsupported
  /// Not known by name: ask (DECRQM), and use it when the answer says so.
  case ask
  case supported
}
