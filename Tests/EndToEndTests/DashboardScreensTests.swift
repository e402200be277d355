import Foundation
import TestKit
import TestTraits
import Testing

/// The dashboard in a real terminal: keys and mouse events are sent as bytes, and the screen is read as text.
@Suite(
  "The dashboard's screens in a real terminal", .ownThread, .serialized, .enabled(if: Programs.has("tmux")))
struct DashboardScreensTests {
  @Test("runs are listed, opened and compared", .timeLimit(.minutes(10)))
  func runs() throws {
    let installation = try Installation.recorded()
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.openDashboard(on: installation)
    try tmux.press("4")
    try tmux.waitUntil("both runs are listed") { $0.contains("before") && $0.contains("after") }
    try tmux.press("Space")
    try tmux.press("Down")
    try tmux.press("Space")
    try tmux.waitFor("two runs are marked")
    try tmux.press("c")
    try tmux.waitUntil("they stand side by side") { $0.contains("A after") && $0.contains("B before") }
    try tmux.press("c")
    try tmux.waitFor("histogram")
    try tmux.press("4")
    try tmux.waitFor("began")
    try tmux.press("Enter")
    try tmux.waitUntil("the older one is shown") { screen in
      screen.split(separator: "\n").first.map { $0.contains("before") } ?? false
    }
    try tmux.leaveDashboard()
  }

  @Test("palette, go to, replay and rotation work by keys", .timeLimit(.minutes(10)))
  func keys() throws {
    let installation = try Installation.recorded()
    let tmux = try Tmux(columns: 150, rows: 40)
    try tmux.openDashboard(on: installation)
    try tmux.press(":")
    try tmux.waitFor("commands")
    try tmux.type("show the log")
    try tmux.press("Enter")
    try tmux.waitUntil("the log has come") { $0.contains("[2 Log]") && !$0.contains("commands") }
    try tmux.press("C-p")
    try tmux.waitFor("commands")
    try tmux.press("Escape")
    try tmux.waitUntil("the palette has gone") { !$0.contains("commands") }
    try tmux.press("g")
    try tmux.waitFor("go to")
    try tmux.type("whenever")
    try tmux.press("Enter")
    try tmux.waitFor("is not a time")
    try tmux.press("C-u")
    try tmux.type("start")
    try tmux.press("Enter")
    try tmux.waitUntil("the prompt has gone") { !$0.contains("is not a time") }
    try tmux.press("f")
    try tmux.press("r")
    try tmux.waitFor("replay")
    for _ in 0..<6 { try tmux.press(")") }
    // Keys that come after the end say something else in the last line.
    try tmux.waitUntil("the replay is at its end") {
      $0.contains("come to the end") || $0.contains("paused at")
    }
    try tmux.press("r")
    try tmux.waitUntil("the whole run is back") { !$0.contains("paused at") && $0.contains("ended") }
    try tmux.press("o")
    try tmux.waitUntil("the panel is beside the plot") { screen in
      screen.split(separator: "\n").dropFirst().first.map { $0.contains("latency") && $0.contains("log") }
        ?? false
    }
    try tmux.press("o")
    try tmux.press("1")
    try tmux.waitFor("[1 Histogram]")
    try tmux.leaveDashboard()
  }

  @Test("a panel is dragged by the mouse, and a click outside closes the palette", .timeLimit(.minutes(10)))
  func drag() throws {
    let installation = try Installation.recorded()
    let tmux = try Tmux(columns: 120, rows: 36)
    try tmux.openDashboard(on: installation)
    // Over three quarters of the width. How fast the events come is not the test's: each moves the panel by its two columns, or in
    // a swipe by 2.5, and a release long after the last is none of a swipe.
    try tmux.mouse(0, 110, 28)
    for column in stride(from: 108, through: 20, by: -2) { try tmux.mouse(32, column, 28) }
    try tmux.mouse(0, 20, 28, isRelease: true)
    try tmux.waitFor("[2 Log]")
    try tmux.press(":")
    try tmux.waitFor("commands")
    try tmux.mouse(0, 2, 2)
    try tmux.mouse(0, 2, 2, isRelease: true)
    try tmux.waitUntil("the palette has gone") { !$0.contains("commands") }
    try tmux.press("m")
    try eventually("the terminal has the mouse") { try tmux.state("mouse_any_flag") == "0" ? true : nil }
    try tmux.press("m")
    try eventually("the dashboard has the mouse") { try tmux.state("mouse_any_flag") == "1" ? true : nil }
    try tmux.leaveDashboard()
  }

  @Test(
    "after a storm of resizes the screen looks as if it had always been that size", .timeLimit(.minutes(10)))
  func resizeStorm() throws {
    let installation = try Installation.recorded()
    let tmux = try Tmux(columns: 120, rows: 36)
    try tmux.openDashboard(on: installation)
    var seed: UInt64 = 7
    for _ in 0..<60 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      try tmux.resize(columns: 20 + Int(seed >> 40) % 200, rows: 5 + Int(seed >> 20) % 60)
      if seed & 3 == 0 { try tmux.press("Tab") }
    }
    try tmux.resize(columns: 110, rows: 34)
    // A key that arrives before the last resize reaches the notice that the terminal is too small.
    try tmux.waitFor("1 Histogram")
    try tmux.press("1")
    try tmux.waitFor("[1 Histogram]")
    // The figures of the footer change from one reading to the next.
    func picture(_ tmux: Tmux) throws -> [Substring] { try tmux.screen().split(separator: "\n").dropLast() }
    let fresh = try Tmux(columns: 110, rows: 34)
    try fresh.openDashboard(on: installation)
    try fresh.waitFor("[1 Histogram]")
    var last: [Substring] = []
    try eventually("it is drawn whole", seen: { last.joined(separator: "\n") }) {
      last = try picture(tmux)
      return try last == picture(fresh) ? true : nil
    }
    try fresh.leaveDashboard()
    try tmux.leaveDashboard()
  }

  @Test("themes, colors and glyphs follow the options", .timeLimit(.minutes(10)))
  func appearance() throws {
    let installation = try Installation.recorded()
    let theme = try installation.directory.write(
      "mine.yaml", "base: dark\ncolours: { accent: \"#010203\", text: \"#0a0b0c\" }\n")
    let tmux = try Tmux(columns: 120, rows: 36, environment: ["COLORTERM": "truecolor", "NO_COLOR": ""])
    try tmux.openDashboard(on: installation, options: "--theme \(theme)")
    let colors = try tmux.screen(escapes: true)
    #expect(colors.contains("38;2;10;11;12"), "\(colors)")
    try tmux.leaveDashboard()
    try tmux.type("clear")
    try tmux.press("Enter")
    try tmux.openDashboard(on: installation, environment: "NO_COLOR=1")
    #expect(try !tmux.screen(escapes: true).contains("38;"))
    try tmux.leaveDashboard()
    try tmux.type("clear")
    try tmux.press("Enter")
    try tmux.openDashboard(on: installation, options: "--ascii")
    let foreign = try tmux.screen().unicodeScalars.filter { !$0.isASCII }
    #expect(foreign.isEmpty, "\(Set(foreign))")
    try tmux.leaveDashboard()
  }

  @Test("a configured key works, and a mistake in it is reported", .timeLimit(.minutes(10)))
  func configuration() throws {
    let installation = try Installation.recorded()
    let file = try installation.directory.write(
      "looks.yaml", "dashboard:\n  theme: light\n  keys: { events: F, quit: [ctrl-x] }\n")
    let tmux = try Tmux(columns: 120, rows: 36)
    try tmux.openDashboard(on: installation, options: "--config \(file)")
    try tmux.press("F")
    try tmux.waitFor("[3 Events]")
    try tmux.press("q")
    try tmux.press("C-x")
    try tmux.waitUntil("the shell is back") { $0.contains("ready$") && !$0.contains("1 Histogram") }
    try installation.directory.write("looks.yaml", "dashboard:\n  keys: { evnts: F }\n")
    let result = try run(Programs.pushscope, ["dashboard", "--store", installation.store, "--config", file])
    #expect(result.status == 78)
    #expect(result.error.contains("looks.yaml:2:") && result.error.contains("did you mean \"events\"?"))
  }

  @Test(
    "each kind of store that cannot be shown has its own screen, and q leaves it", .timeLimit(.minutes(10)))
  func failures() throws {
    let directory = try TemporaryDirectory()
    try directory.write("text.sqlite", String(repeating: "no database\n", count: 1_000))
    let tmux = try Tmux(columns: 100, rows: 30)
    for (path, words) in [
      (directory.file("none.sqlite"), "No store yet"), (directory.path, "Not a pushscope store"),
      (directory.file("text.sqlite"), "Not a pushscope store"),
    ] {
      try tmux.type("\(Programs.pushscope) dashboard --store \(path)")
      try tmux.press("Enter")
      try tmux.waitFor(words)
      try tmux.press("q")
      try tmux.waitUntil("the shell is back") { $0.contains("ready$") && !$0.contains(words) }
      try tmux.type("clear")
      try tmux.press("Enter")
    }
  }
}
