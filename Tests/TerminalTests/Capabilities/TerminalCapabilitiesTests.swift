import Testing

@testable import Terminal

@Suite("A terminal is known by its environment")
struct TerminalCapabilitiesTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var environment: [String: String]
    var colors: ColorProfile
    var glyphs = GlyphRepertoire.braille
    var synchronized = SynchronizedOutput.ask
    var mouse = true
    var erases = true
    var multiplexed = false

    var testDescription: String { name }
  }

  static let terminals = [
    Case(
      name: "kitty", environment: ["TERM": "xterm-kitty", "COLORTERM": "truecolor"], colors: .trueColor,
      synchronized: .supported),
    Case(
      name: "kitty over ssh", environment: ["TERM": "xterm-kitty"], colors: .trueColor,
      synchronized: .supported),
    Case(name: "alacritty", environment: ["TERM": "alacritty"], colors: .trueColor),
    Case(name: "foot", environment: ["TERM": "foot"], colors: .trueColor, synchronized: .supported),
    Case(
      name: "foot-extra", environment: ["TERM": "foot-extra"], colors: .trueColor, synchronized: .supported),
    Case(name: "wezterm", environment: ["TERM": "wezterm"], colors: .trueColor, synchronized: .supported),
    Case(
      name: "wezterm as xterm", environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"],
      colors: .trueColor),
    Case(
      name: "ghostty 1.2",
      environment: ["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.0"],
      colors: .trueColor, glyphs: .octants, synchronized: .supported),
    Case(
      name: "ghostty 1.1",
      environment: ["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.1.3"],
      colors: .trueColor, synchronized: .supported),
    Case(
      name: "GNOME Terminal",
      environment: ["TERM": "xterm-256color", "VTE_VERSION": "7003", "COLORTERM": "truecolor"],
      colors: .trueColor),
    Case(name: "old VTE", environment: ["TERM": "xterm", "VTE_VERSION": "3409"], colors: .ansi16),
    Case(
      name: "Konsole", environment: ["TERM": "xterm-256color", "KONSOLE_VERSION": "230403"],
      colors: .trueColor),
    Case(
      name: "Windows Terminal", environment: ["TERM": "xterm-256color", "WT_SESSION": "x"], colors: .trueColor
    ),
    Case(
      name: "Apple's Terminal",
      environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal", "COLORTERM": "truecolor"],
      colors: .ansi256),
    Case(name: "xterm", environment: ["TERM": "xterm"], colors: .ansi16),
    Case(name: "xterm-256color", environment: ["TERM": "xterm-256color"], colors: .ansi256),
    Case(name: "xterm-direct", environment: ["TERM": "xterm-direct"], colors: .trueColor),
    Case(name: "urxvt", environment: ["TERM": "rxvt-unicode-256color"], colors: .ansi256),
    Case(
      name: "tmux", environment: ["TERM": "tmux-256color", "TMUX": "/tmp/tmux"], colors: .ansi256,
      erases: false,
      multiplexed: true),
    Case(
      name: "tmux in a truecolor terminal",
      environment: ["TERM": "screen-256color", "TMUX": "/tmp/tmux", "COLORTERM": "truecolor"],
      colors: .trueColor,
      erases: false, multiplexed: true),
    Case(
      name: "tmux as plain screen", environment: ["TERM": "screen", "TMUX": "/tmp/tmux"], colors: .ansi256,
      erases: false, multiplexed: true),
    Case(
      name: "kitty's TERM inside tmux", environment: ["TERM": "xterm-kitty", "TMUX": "/tmp/tmux"],
      colors: .trueColor,
      erases: false, multiplexed: true),
    Case(
      name: "screen in a truecolor terminal",
      environment: ["TERM": "screen", "STY": "1.pts", "COLORTERM": "truecolor"],
      colors: .ansi16, erases: false, multiplexed: true),
    Case(
      name: "screen-256color", environment: ["TERM": "screen-256color", "STY": "1.pts"], colors: .ansi256,
      erases: false, multiplexed: true),
    Case(
      name: "screen-256color-bce", environment: ["TERM": "screen-256color-bce", "STY": "1.pts"],
      colors: .ansi256,
      multiplexed: true),
    Case(
      name: "Linux console", environment: ["TERM": "linux", "COLORTERM": "truecolor"], colors: .ansi16,
      glyphs: .halfBlocks, synchronized: .unsupported, mouse: false),
    Case(
      name: "vt220", environment: ["TERM": "vt220"], colors: .monochrome, glyphs: .ascii,
      synchronized: .unsupported,
      mouse: false, erases: false),
    Case(name: "something new", environment: ["TERM": "brandnew"], colors: .ansi16, erases: false),
  ]

  @Test("terminals", arguments: terminals)
  func terminal(_ expected: Case) {
    let environment = expected.environment.merging(["LANG": "en_US.UTF-8"]) { first, _ in first }
    let found = TerminalCapabilities(environment: environment)
    #expect(found.colors == expected.colors)
    #expect(found.glyphs == expected.glyphs)
    #expect(found.synchronizedOutput == expected.synchronized)
    #expect(found.reportsMouse == expected.mouse)
    #expect(found.erasesWithBackground == expected.erases)
    #expect(found.isMultiplexed == expected.multiplexed)
  }

  @Test("NO_COLOR takes colors away, unless somebody insists")
  func noColor() {
    var environment = ["TERM": "xterm-kitty", "COLORTERM": "truecolor", "NO_COLOR": "1"]
    #expect(TerminalCapabilities(environment: environment).colors == .monochrome)
    let insisting = TerminalCapabilities.Overrides(colors: .ansi256)
    #expect(TerminalCapabilities(environment: environment, overrides: insisting).colors == .ansi256)
    environment["NO_COLOR"] = ""
    #expect(TerminalCapabilities(environment: environment).colors == .trueColor)
  }

  @Test(
    "terminfo decides about terminals not known by name",
    arguments: [
      (nil, .ansi16), (0, .monochrome), (2, .monochrome), (8, .ansi16), (88, .ansi16), (256, .ansi256),
      (16_777_216, .trueColor),
    ]
      as [(Int?, ColorProfile)])
  func terminfo(colors: Int?, expected: ColorProfile) {
    #expect(
      TerminalCapabilities(environment: ["TERM": "brandnew"], terminfoColors: colors).colors == expected)
  }

  @Test(
    "the locale says whether the terminal decodes UTF-8",
    arguments: [
      (["LANG": "de_DE.UTF-8"], nil, true), (["LANG": "de_DE.utf8"], nil, true),
      ([:], "ANSI_X3.4-1968", true),
      (["LANG": "C"], "ANSI_X3.4-1968", true), (["LANG": ""], nil, true),
      (["LANG": "de_DE.ISO-8859-1"], "ISO-8859-1", false), (["LANG": "de_DE"], "ISO-8859-1", false),
      (["LANG": "de_DE"], "UTF-8", true), (["LANG": "de_DE@euro"], "ISO-8859-15", false),
      (["LANG": "en_US.UTF-8", "LC_ALL": "ru_RU.KOI8-R"], "KOI8-R", false),
      (["LANG": "ru_RU.KOI8-R", "LC_CTYPE": "C.UTF-8"], nil, true),
      (["LANG": "C.UTF-8", "LC_ALL": ""], nil, true),
    ] as [([String: String], String?, Bool)])
  func locale(locale: [String: String], codeset: String?, decodes: Bool) {
    let environment = locale.merging(["TERM": "xterm-256color"]) { $1 }
    let found = TerminalCapabilities(environment: environment, codeset: codeset)
    #expect(found.decodesUTF8 == decodes)
    #expect(found.glyphs == (decodes ? .braille : .ascii))
    #expect(found.outputProfile.encodesUTF8 == decodes)
    // Asking for more does not teach the terminal UTF-8.
    let greedy = TerminalCapabilities.Overrides(glyphs: .octants)
    #expect(
      TerminalCapabilities(environment: environment, codeset: codeset, overrides: greedy).glyphs
        == (decodes ? .octants : .ascii))
  }

  @Test("--ascii")
  func ascii() {
    let overrides = TerminalCapabilities.Overrides(glyphs: .ascii)
    let found = TerminalCapabilities(environment: ["TERM": "foot"], overrides: overrides)
    #expect(found.glyphs == .ascii && found.decodesUTF8)
    // Names and units become ASCII too.
    #expect(!found.outputProfile.encodesUTF8)
  }
}
