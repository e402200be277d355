/// Terminal kinds, recognized by environment variables.
struct TerminalKind {
  /// `nil`: ask terminfo.
  var colors: ColorProfile?
  var glyphs = GlyphRepertoire.braille
  var synchronizedOutput = SynchronizedOutput.ask
  var reportsMouse = true
  var erasesWithBackground = false
  var isMultiplexed = false
  var mayDecodeUTF8 = true
  var believesColorTerm = true
  var hasAlternateScreen = true

  init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    readName(term)
    if term.contains("256color") { colors = max(colors ?? .ansi256, .ansi256) }
    if term.hasSuffix("-direct") || term.hasSuffix("-truecolor") { colors = .trueColor }
    if isMultiplexed || environment["TMUX"] != nil || environment["STY"] != nil {
      readMultiplexer(environment, term: term)
      return
    }
    readProgram(program, environment)
  }

  private mutating func readName(_ term: String) {
    let family = term.split(separator: "-").first.map(String.init) ?? ""
    switch family {
    case "foot", "footclient", "wezterm", "contour", "rio":
      (colors, synchronizedOutput, erasesWithBackground) = (.trueColor, .supported, true)
    case "alacritty":
      // Older than 0.13 it does not synchronize, but says so when asked.
      (colors, erasesWithBackground) = (.trueColor, true)
    case "xterm" where term.hasPrefix("xterm-kitty"), "kitty":
      (colors, synchronizedOutput, erasesWithBackground) = (.trueColor, .supported, true)
    case "xterm" where term.hasPrefix("xterm-ghostty"), "ghostty":
      (colors, synchronizedOutput, erasesWithBackground) = (.trueColor, .supported, true)
    case "xterm":
      (colors, erasesWithBackground) = (.ansi16, true)
    case "konsole", "vte", "gnome", "st", "iterm2", "mintty", "putty":
      erasesWithBackground = true
    case "rxvt":
      (colors, erasesWithBackground) = (.ansi16, true)
    case "linux", "cons25", "wsvt25", "hurd", "mach":
      // The console's font has 256 or 512 glyphs, and its parser prints the end of a question it does not know.
      (colors, glyphs, erasesWithBackground) = (.ansi16, .halfBlocks, true)
      (synchronizedOutput, reportsMouse, believesColorTerm) = (.unsupported, false, false)
      hasAlternateScreen = false
    case "tmux":
      (colors, isMultiplexed) = (.ansi256, true)
    case "screen":
      (colors, isMultiplexed) = (.ansi16, true)
      erasesWithBackground = term.hasSuffix("-bce")
    case "vt52", "vt100", "vt102", "vt220", "vt320", "vt420", "ansi", "sun":
      (colors, glyphs, mayDecodeUTF8) = (family == "ansi" ? .ansi16 : .monochrome, .ascii, false)
      (synchronizedOutput, reportsMouse, believesColorTerm) = (.unsupported, false, false)
      hasAlternateScreen = false
    default:
      break
    }
  }

  private mutating func readMultiplexer(_ environment: [String: String], term: String) {
    isMultiplexed = true
    // It decides what to erase with, whatever TERM pretends to be.
    erasesWithBackground = term.hasSuffix("-bce")
    // A question would be answered by the multiplexer for itself, which is what counts.
    synchronizedOutput = .ask
    if environment["TMUX"] != nil || term.hasPrefix("tmux") {
      // tmux takes any color and reduces it to what is around it.
      colors = max(colors ?? .ansi256, .ansi256)
    } else {
      believesColorTerm = false
    }
  }

  private mutating func readProgram(_ program: String, _ environment: [String: String]) {
    switch program {
    case "iTerm.app", "WezTerm", "vscode", "rio", "Hyper", "Tabby":
      colors = .trueColor
    case "ghostty":
      colors = .trueColor
      if let version = environment["TERM_PROGRAM_VERSION"], Self.isAtLeast(version, major: 1, minor: 2) {
        glyphs = .octants
      }
    case "Apple_Terminal":
      (colors, believesColorTerm) = (.ansi256, false)
    default:
      break
    }
    if let version = environment["VTE_VERSION"].flatMap({ Int($0) }), version >= 3600 { colors = .trueColor }
    if environment["KONSOLE_VERSION"] != nil || environment["WT_SESSION"] != nil { colors = .trueColor }
  }

  private static func isAtLeast(_ version: String, major: Int, minor: Int) -> Bool {
    let parts = version.split(separator: ".").prefix(2).map { Int($0.prefix { $0.isNumber }) ?? 0 }
    let found = (parts.first ?? 0, parts.count > 1 ? parts[1] : 0)
    return found >= (major, minor)
  }
}
