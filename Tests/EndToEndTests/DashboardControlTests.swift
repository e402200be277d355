import Foundation
import TestKit
import TestTraits
import Testing

/// Commands that the dashboard sends to a collector, or carries out itself when no collector runs.
@Suite("Runs are managed from the dashboard", .ownThread, .serialized, .enabled(if: Programs.has("tmux")))
struct DashboardControlTests {
  @Test("runs are renamed and deleted where there is no collector", .timeLimit(.minutes(10)))
  func renameAndDelete() throws {
    let installation = try Installation.recorded()
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.openDashboard(on: installation)
    try tmux.press("4")
    try tmux.waitUntil("both runs are listed") { $0.contains("before") && $0.contains("after") }
    try tmux.press("Down")
    try tmux.press("Enter")
    try tmux.waitUntil("the older one is shown") { screen in
      screen.split(separator: "\n").first.map { $0.contains("before") } ?? false
    }
    try tmux.press("R")
    try tmux.waitFor("rename the run")
    try tmux.press("C-u")
    try tmux.type("first try")
    try tmux.press("Enter")
    try tmux.waitUntil("it has its new name") {
      $0.contains("first try") && !$0.contains("rename the run")
    }
    try eventually("the store has it") {
      try installation.query("SELECT name FROM run ORDER BY id").first == ["first try"] ? true : nil
    }
    try tmux.press("X")
    try tmux.waitFor("delete the run?")
    try tmux.press("n")
    try tmux.waitUntil("it is still there") {
      !$0.contains("delete the run?") && $0.contains("first try")
    }
    #expect(try installation.query("SELECT count(*) FROM run") == [["2"]])
    try tmux.press("X")
    try tmux.waitFor("delete the run?")
    try tmux.press("y")
    try tmux.waitUntil("it is gone") { !$0.contains("first try") && $0.contains("after") }
    #expect(try installation.query("SELECT count(*) FROM run") == [["1"]])
    #expect(try installation.query("SELECT count(DISTINCT run) FROM sample_view") == [["1"]])
    try tmux.leaveDashboard()
  }

  @Test(
    "s stops and starts runs of a collector that stays, and its death is seen",
    .timeLimit(.minutes(10)))
  func startAndStop() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    let collector = try installation.collect([])
    let tmux = try Tmux(columns: 130, rows: 36)
    try tmux.type("\(Programs.pushscope) dashboard --store \(installation.store)")
    try tmux.press("Enter")
    try tmux.waitFor("● live")
    try tmux.press("s")
    try tmux.waitFor("stop the run?")
    try tmux.press("y")
    try tmux.waitUntil("the run has ended") {
      $0.contains("ended") && $0.contains("collector idle")
    }
    try tmux.press("s")
    try tmux.waitFor("start a run")
    try tmux.type("second")
    try tmux.press("Enter")
    try tmux.waitUntil("a run with that name goes on") {
      $0.contains("● live") && $0.contains("second")
    }
    #expect(try installation.query("SELECT count(*) FROM run") == [["2"]])
    try collector.kill()
    try tmux.waitFor("collector gone for")
    try tmux.press("s")
    try tmux.waitFor("no collector is running")
    try tmux.leaveDashboard()
    try service.stop()
  }
}
