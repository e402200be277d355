import Foundation
import TestKit
import TestTraits
import Testing

@Suite("The dashboard in a real terminal", .ownThread, .serialized, .enabled(if: Programs.has("tmux")))
struct DashboardTests {
  /// Expects the shell on the normal screen, with a cursor, without mouse reports, and with echo.
  private func expectClean(_ tmux: Tmux, of installation: Installation) throws {
    try tmux.expectShell()
    #expect(try tmux.state("cursor_flag") == "1")
    // After a signal the shell may be back before the process that gives the terminal back has ended: what is typed until then is lost.
    try eventually("nothing of the dashboard is left") {
      try run("pgrep", ["-f", "dashboard --store \(installation.store)"]).status == 1
    }
    try tmux.type("echo te''rminal is sane")
    try tmux.press("Enter")
    try tmux.waitFor("terminal is sane")
    #expect(try tmux.screen().contains("echo te''rminal is sane"), "typing is echoed")
  }

  @Test("keys, a click on a tab and a resize take effect; q restores the terminal", .timeLimit(.minutes(10)))
  func tour() throws {
    let installation = try Installation.recorded(runs: [""], count: 300)
    let tmux = try Tmux(columns: 120, rows: 36)
    try tmux.openDashboard(on: installation)
    try tmux.waitFor("p50")
    try tmux.press("3")
    try tmux.waitFor("run_stopped")
    try tmux.press("2")
    try tmux.waitUntil("the events have left") { !$0.contains("run_stopped") }
    try tmux.press("1")
    try tmux.press("Tab")
    try tmux.press("Tab")
    try tmux.waitFor("run_stopped")

    let header = try #require(try tmux.screen().split(separator: "\n").first)
    let before = try #require(header.range(of: "1 Histogram")).lowerBound
    let column = header.distance(from: header.startIndex, to: before) + 3
    for event in ["\u{1B}[<0;\(column);1M", "\u{1B}[<0;\(column);1m"] {
      try tmux.send(bytes: Array(event.utf8))
    }
    try tmux.waitUntil("the click brought the histogram back") { !$0.contains("run_stopped") }

    try tmux.press("?")
    try tmux.waitFor("quit")
    try tmux.press("Escape")
    try tmux.resize(columns: 80, rows: 24)
    try tmux.waitUntil("it fits the new size") { screen in
      screen.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { $0.count <= 80 }
        && screen.contains("Events")
    }
    try tmux.resize(columns: 40, rows: 10)
    try tmux.waitUntil("it says that the terminal is too small") { $0.contains("60") && $0.contains("16") }
    try tmux.resize(columns: 100, rows: 30)
    try tmux.waitFor("1 Histogram")
    try tmux.press("q")
    try expectClean(tmux, of: installation)
  }

  @Test(
    "the terminal is given back after a signal and, at once, after a crash", .timeLimit(.minutes(10)),
    arguments: ["TERM", "SEGV", "INT", "XCPU"])
  func signals(name: String) throws {
    let installation = try Installation.recorded(runs: [""], count: 300)
    let tmux = try Tmux(columns: 100, rows: 30)
    try tmux.openDashboard(on: installation)
    let pid = try tmux.state("pane_pid")
    for ignored in ["USR1", "USR2", "ALRM"] {
      _ = try run("/usr/bin/env", ["pkill", "-\(ignored)", "-P", pid])
    }
    try tmux.press("3")
    try tmux.waitFor("run_stopped")
    _ = try run("/usr/bin/env", ["pkill", "-\(name)", "-P", pid])
    try expectClean(tmux, of: installation)
  }

  @Test(
    "after a crash a file says where, and the dashboard opens with the same view", .timeLimit(.minutes(10)))
  func crash() throws {
    let installation = try Installation.recorded(runs: [""], count: 300)
    let state = installation.directory.file("state")
    let tmux = try Tmux(columns: 100, rows: 30, environment: ["XDG_STATE_HOME": state])
    // A file that is being written has a temporary name; a crash leaves the version before it.
    func texts(in folder: String, ending: String) -> [String] {
      let directory = state + "/pushscope/" + folder
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      return names.filter { $0.hasSuffix(ending) }.compactMap {
        try? String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
      }
    }
    try tmux.openDashboard(on: installation)
    try tmux.press("3")
    try tmux.waitFor("run_stopped")
    try eventually("the view is remembered") {
      texts(in: "views", ending: ".json").contains { $0.contains("Events") }
    }
    _ = try run("/usr/bin/env", ["pkill", "-SEGV", "-P", try tmux.state("pane_pid")])
    try tmux.waitFor("it crashed; a report of where is written to a file in")
    try eventually("the report is there", seen: { "\(texts(in: "crashes", ending: ".log"))" }) {
      texts(in: "crashes", ending: ".log").contains {
        $0.contains("crashed") && $0.contains("Backtrace took")
      }
    }
    // The shell says so when the process has ended; what is typed before is lost.
    try tmux.waitFor("Segmentation fault")
    try expectClean(tmux, of: installation)
    try tmux.openDashboard(on: installation)
    try tmux.waitFor("run_stopped")
    try tmux.press("q")
    try expectClean(tmux, of: installation)
  }

  @Test("a store that is moved away and replaced while it is shown", .timeLimit(.minutes(10)))
  func replaced() throws {
    let first = try Installation.recorded(runs: ["first"], count: 100)
    let second = try Installation.recorded(runs: ["second"], count: 100)
    let manager = FileManager.default
    let tmux = try Tmux(columns: 120, rows: 30)
    try tmux.openDashboard(on: first)
    try tmux.waitFor("first")
    // The message stays for four seconds; where the machine is too busy to look in time, the store is replaced again.
    for attempt in 1...5 {
      try manager.removeItem(atPath: first.store)
      try tmux.waitFor("The store is gone")
      try manager.copyItem(atPath: second.store, toPath: second.store + ".copy")
      try manager.moveItem(atPath: second.store + ".copy", toPath: first.store)
      do {
        try tmux.waitUntil("the new one is shown, and that it is another one", within: .seconds(10 * attempt))
        {
          $0.contains("second") && $0.contains("another store")
        }
        break
      } catch {
        if attempt == 5 { throw error }
      }
    }
    try tmux.press("q")
    try expectClean(tmux, of: first)
  }

  @Test("suspending restores the terminal, and resuming draws the dashboard again", .timeLimit(.minutes(10)))
  func suspend() throws {
    let installation = try Installation.recorded(runs: [""], count: 300)
    let tmux = try Tmux(columns: 100, rows: 30, shell: "/bin/bash --norc --noprofile")
    try tmux.openDashboard(on: installation)
    try tmux.press("C-z")
    try tmux.waitUntil("the shell is back") { $0.contains("Stopped") }
    #expect(try tmux.state("alternate_on") == "0")
    #expect(try tmux.state("mouse_any_flag") == "0")
    try tmux.type("fg")
    try tmux.press("Enter")
    try tmux.waitFor("1 Histogram")
    #expect(try tmux.state("alternate_on") == "1")
    try tmux.press("q")
    try tmux.waitUntil("the shell is back") { !$0.contains("1 Histogram") }
  }

  @Test("rows appear while the collector records them", .timeLimit(.minutes(10)))
  func live() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    let tmux = try Tmux(columns: 120, rows: 36)
    try tmux.type("\(Programs.pushscope) dashboard --store \(installation.store)")
    try tmux.press("Enter")
    try tmux.waitUntil("it waits for the store") { $0.contains("store") }
    let collector = try installation.collect([])
    try tmux.waitFor("1 Histogram")
    try tmux.waitFor("● live")
    try tmux.waitUntil("dots appear") { screen in
      screen.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) }
    }
    #expect(try collector.stop() == 0)
    try tmux.press("q")
    try expectClean(tmux, of: installation)
    try service.stop()
  }

  @Test("without a terminal it prints lines", .timeLimit(.minutes(10)))
  func plain() throws {
    let installation = try Installation.recorded(runs: [""], count: 300)
    let result = try run(Programs.pushscope, ["dashboard", "--store", installation.store])
    #expect(result.status == 0)
    #expect(result.output.contains("300"))
    #expect(!result.output.contains("\u{1B}"))
    let piped = try run(
      "/bin/sh", ["-c", "'\(Programs.pushscope)' dashboard --store '\(installation.store)' | head -n 1"])
    #expect(piped.status == 0)
    #expect(piped.error.isEmpty)
  }

  @Test("a terminal without cursor addressing is refused with a message", .timeLimit(.minutes(10)))
  func dumb() throws {
    let installation = try Installation.recorded(runs: [""], count: 300)
    let tmux = try Tmux(columns: 100, rows: 30)
    try tmux.type("TERM=dumb \(Programs.pushscope) dashboard --store \(installation.store)")
    try tmux.press("Enter")
    try tmux.waitUntil("it says why, and what to do") { $0.contains("pushscope:") && $0.contains("--plain") }
  }
}
