import Foundation
import TestKit
import TestTraits
import Testing

/// Everything one key away: panels of targets and findings, one notification, lists, views, presets, what is remembered.
@Suite("The dashboard's keys in a real terminal", .ownThread, .serialized, .enabled(if: Programs.has("tmux")))
struct DashboardReachTests {
  @Test("targets, findings, the order and the columns of tables", .timeLimit(.minutes(10)))
  func tables() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let tmux = try Tmux(columns: 140, rows: 40)
    try tmux.openDashboard(on: installation, options: "--panel targets")
    try tmux.waitUntil("the table is read") {
      $0.contains("[5 Targets]") && $0.contains(#/loopback +[0-9.]+\/s .*[0-9] %/#)
    }
    try tmux.press("Enter")
    try tmux.waitFor("loopback alone")
    try tmux.press("Space")
    try tmux.waitFor("all targets")
    try tmux.press("S")
    try tmux.waitFor("by target")
    try tmux.press("C")
    try tmux.waitFor("[x] rate")
    try tmux.press("Down")
    try tmux.press("Space")
    try tmux.waitFor("[ ] rate")
    try tmux.press("q")
    try tmux.waitUntil("the column is gone") { !$0.contains(" rate ") && $0.contains("[5 Targets]") }
    try tmux.press("6")
    try tmux.waitUntil("nothing is found") { $0.lowercased().contains("nothing found") }
    try tmux.press("?")
    try tmux.waitFor("6 Findings")
    try tmux.press("q")
    try tmux.leaveDashboard()
  }

  @Test(
    "a notification is opened, left again and exported; a note and figures are written",
    .timeLimit(.minutes(10)))
  func notification() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.type("cd \(installation.directory.path)")
    try tmux.press("Enter")
    try tmux.openDashboard(on: installation)
    for key in ["i", ",", "Enter"] { try tmux.press(key) }
    try tmux.waitFor("Enter opens")
    try tmux.press("Enter")
    try tmux.waitUntil("all of it is read") {
      $0.contains("receipt within 20.0 s") && $0.contains("loopback-device")
    }
    try tmux.press("Y")
    try tmux.press("e")
    try tmux.press("q")
    try tmux.waitFor("Enter opens")
    try tmux.press("Escape")
    try tmux.waitUntil("the list is gone") { !$0.contains("Enter opens") }
    try eventually("the notification is exported") {
      try FileManager.default.contentsOfDirectory(atPath: installation.directory.path).contains {
        $0.hasPrefix("pushscope-samples-")
      } ? true : nil
    }
    try tmux.press("A")
    try tmux.waitFor("note at")
    try tmux.type("deploy 412")
    try tmux.press("Enter")
    try eventually("the note is in the store") {
      try installation.query("SELECT detail FROM event WHERE kind = 'annotation'") == [["deploy 412"]]
        ? true : nil
    }
    try tmux.press("x")
    try tmux.waitFor("figures")
    try tmux.press("f")
    try tmux.waitFor("figures in pushscope-figures-")
    let files = try FileManager.default.contentsOfDirectory(atPath: installation.directory.path)
    let file = try #require(files.first { $0.hasPrefix("pushscope-figures-") })
    let lines = try String(contentsOfFile: installation.directory.file(file), encoding: .utf8).split(
      separator: "\n")
    #expect(lines.first?.hasPrefix("start,end,due,sent") == true && lines.count > 1)
    let due = lines.dropFirst().reduce(0) { $0 + (Int($1.split(separator: ",")[2]) ?? 0) }
    #expect(due == 300)
    // The crosshair is still on, and closed first.
    try tmux.press("q")
    try tmux.waitUntil("the crosshair is gone") { $0.contains("b buckets") }
    try tmux.leaveDashboard()
  }

  @Test("log and events: filters, hits, floods, a line in full", .timeLimit(.minutes(10)))
  func lists() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.openDashboard(on: installation)
    try tmux.press("3")
    try tmux.waitFor("run_stopped")
    try tmux.press("/")
    try tmux.type("level:loud")
    try tmux.press("Enter")
    try tmux.waitFor("loud is not a level")
    try tmux.press("C-u")
    try tmux.type("kind:run_ !stopped")
    try tmux.press("Enter")
    try tmux.waitUntil("only one is listed") { $0.contains("run_started") && !$0.contains("run_stopped  ") }
    try tmux.press("N")
    try tmux.press("&")
    try tmux.waitUntil("all are listed") { $0.contains("run_stopped") }
    try tmux.press("W")
    try tmux.waitUntil("it is opened") { $0.contains("J K next") }
    try tmux.press("q")
    try tmux.press("E")
    try tmux.waitFor("every line by itself")
    try tmux.leaveDashboard()
  }

  @Test("views are gone back through, and the palette takes arguments", .timeLimit(.minutes(10)))
  func views() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.openDashboard(on: installation)
    try tmux.press("BSpace")
    try tmux.waitFor("no view before")
    try tmux.press("0")
    try tmux.waitFor("all of the run")
    try tmux.press("BSpace")
    for (text, words) in [
      ("threshold 800ms", "threshold line at 800 ms"), ("theme light", "theme light"),
      ("target loop", "loopback alone"), ("threshold off", "no threshold line"),
    ] {
      try tmux.press(":")
      try tmux.waitFor("commands")
      try tmux.type(text)
      try tmux.press("Enter")
      try tmux.waitUntil("\(text) is done") { $0.contains(words) && !$0.contains("commands") }
    }
    try tmux.press(":")
    try tmux.type("threshold soon")
    try tmux.waitFor("soon is not a latency")
    try tmux.press("Escape")
    // A key that follows at once would be taken for one with Alt.
    try tmux.waitUntil("the palette is closed") { !$0.contains("soon is not a latency") }
    try tmux.leaveDashboard()
  }

  @Test("percentiles, heat maps, a window from the command line; a line is copied", .timeLimit(.minutes(10)))
  func plots() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.type("tmux set-option -s set-clipboard on")
    try tmux.press("Enter")
    try tmux.openDashboard(on: installation, options: "--since -10m --panel events")
    try tmux.waitFor("[3 Events]")
    try tmux.waitUntil("ten minutes are in view") { $0.contains("run_stopped") && $0.contains("planned 300") }
    for (key, words) in [
      ("B", "percentiles"), ("B", "dots"), ("B", "dots, or percentiles"), ("H", "hour of day × day"),
      ("H", "minute × latency"), ("H", "dots, or percentiles"), ("M", "there is one target only"),
      ("S", "newest first"), ("S", "oldest first"),
    ] {
      try tmux.press(key)
      try tmux.waitFor(words)
    }
    try tmux.press("C")
    try tmux.waitFor("[x] connection")
    try tmux.press("q")
    try tmux.waitUntil("the choice is closed") { !$0.contains("[x] connection") }
    try tmux.press("/")
    try tmux.type("kind:run_stopped")
    try tmux.press("Enter")
    try tmux.waitFor("only kind:run_stopped")
    try tmux.press("W")
    try tmux.waitFor("J K next")
    try tmux.press("Y")
    try eventually("the line is on the clipboard") {
      try tmux.state("buffer_sample").contains("run_stopped") ? true : nil
    }
    try tmux.press("q")
    try tmux.leaveDashboard()
  }

  @Test("keys of vim, and the last view of a store comes back", .timeLimit(.minutes(10)))
  func remembered() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let file = try installation.directory.write(
      "looks.yaml", "dashboard:\n  remember: true\n  keys: { preset: vim }\n")
    let tmux = try Tmux(columns: 130, rows: 40)
    let state = "XDG_STATE_HOME=\(installation.directory.file("state"))"
    try tmux.openDashboard(on: installation, options: "--config \(file)", environment: state)
    try tmux.press("2")
    try tmux.waitFor("[2 Log]")
    try tmux.press("g", "t")
    try tmux.waitFor("go to")
    try tmux.press("Escape")
    try tmux.waitUntil("the prompt is closed") { !$0.contains("go to") }
    try tmux.press("L")
    try tmux.waitFor("linear axis")
    // What moves the window is a view that can be gone back from.
    for key in ["h", "BSpace"] { try tmux.press(key) }
    #expect(try !tmux.screen().contains("no view before"))
    try tmux.press("BSpace")
    try tmux.waitFor("no view before")
    try tmux.leaveDashboard()
    try tmux.type("clear")
    try tmux.press("Enter")
    try tmux.openDashboard(on: installation, options: "--config \(file)", environment: state)
    try tmux.waitFor("[2 Log]")
    try tmux.press("L")
    try tmux.waitFor("logarithmic axis")
    try tmux.leaveDashboard()
  }

  @Test(
    "the order and the columns of lists, and the keys of fingers, under each preset",
    .timeLimit(.minutes(10)), arguments: ["classic", "vim", "less"])
  func presets(preset: String) throws {
    let installation = try Installation.recorded(runs: ["zulu", "alpha"], count: 100)
    let file = try installation.directory.write("keys.yaml", "dashboard:\n  keys: { preset: \(preset) }\n")
    let tmux = try Tmux(columns: 150, rows: 44)
    try tmux.openDashboard(on: installation, options: "--config \(file) --panel runs")
    // Whether the first text stands above the second one.
    func stand(_ first: String, above second: String, in screen: String) -> Bool {
      let lines = screen.split(separator: "\n")
      guard let one = lines.lastIndex(where: { $0.contains(first) }),
        let other = lines.lastIndex(where: { $0.contains(second) })
      else { return false }
      return one < other
    }
    try tmux.press("S")
    try tmux.waitUntil("runs by their names") {
      $0.contains("runs by run") && stand(" alpha  ", above: " zulu  ", in: $0)
    }
    try tmux.press("C")
    try tmux.waitFor("[x] length")
    for key in ["Down", "Down", "Space"] { try tmux.press(key) }
    try tmux.waitFor("[ ] length")
    try tmux.press("q")
    try tmux.waitUntil("the column is gone") { $0.contains("runs by run") && !$0.contains(" length") }
    for (panel, title, column) in [("2", "[2 Log]", "component"), ("3", "[3 Events]", "connection")] {
      try tmux.press(panel)
      try tmux.waitUntil("the lines are read") { $0.contains(title) && $0.contains("oopback") }
      try tmux.press("S")
      try tmux.waitFor("newest first")
      try tmux.press("S")
      try tmux.waitFor("oldest first")
      try tmux.press("C")
      try tmux.waitFor("[x] \(column)")
      try tmux.press("q")
      try tmux.waitUntil("the choice is closed") { !$0.contains("[x] \(column)") }
    }
    try tmux.press("5")
    try tmux.waitFor("[5 Targets]")
    try tmux.press("S")
    try tmux.waitFor("by target")
    // What the preset calls the kind of axis, and that `h` and `l` move the window only where they should.
    try tmux.press(preset == "classic" ? "l" : "L")
    try tmux.waitFor("linear axis")
    if preset != "classic" {
      try tmux.press("h")
      try tmux.press("BSpace")
      #expect(try !tmux.screen().contains("no view before"))
    }
    if preset == "less" {
      try tmux.press("Q")
      try tmux.waitFor("/frame")
    }
    try tmux.leaveDashboard()
  }

  @Test("at 60 by 16, and after a resize, every panel is there", .timeLimit(.minutes(10)))
  func smallest() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let tmux = try Tmux(columns: 60, rows: 16)
    try tmux.openDashboard(on: installation)
    for (key, words) in [
      ("5", "[5 Targets]"), ("6", "[6 Findings]"), ("2", "[2 Log]"), ("3", "[3 Events]"), ("4", "[4 Runs]"),
    ] {
      try tmux.press(key)
      try tmux.waitFor(words)
      let screen = try tmux.screen()
      #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(screen)")
    }
    try tmux.resize(columns: 160, rows: 30)
    try tmux.waitUntil("all names are there") { $0.contains("1 Histogram") && $0.contains("6 Findings") }
    try tmux.leaveDashboard()
  }

  @Test("lines: one report, no wider than 100 columns; options that contradict each other are refused")
  func plain() throws {
    let installation = try Installation.recorded(runs: ["first"], count: 300)
    let once = try run(Programs.pushscope, ["dashboard", "--store", installation.store, "--once"])
    #expect(once.status == 0 && once.output.contains("300"))
    #expect(once.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    for arguments in [
      ["--once", "--every", "10s"], ["--every", "0s"], ["--panel", "nonsense"],
      ["--since", "-1h", "--until", "-2h"], ["--since", "-2h", "--until", "-1h", "--window", "10m"],
    ] {
      let refused = try run(Programs.pushscope, ["dashboard", "--store", installation.store] + arguments)
      #expect(refused.status == 64, "\(arguments): \(refused.error)")
    }
  }
}
