import ConstraintAnimation
import Measurement
import Testing

@testable import TUI

@Suite("The list of runs")
struct RunsPanelTests {
  static func id(_ number: Int) -> RunID {
    guard let id = RunID("01978f5e-2f40-7000-8000-\(100_000_000_000 + number)") else {
      preconditionFailure("this is a UUID")
    }
    return id
  }

  /// Runs of the past days; the newest is the one that the sample run is.
  static func entries(_ count: Int) -> [RunEntry] {
    var counts = Tally()
    counts[.delivered] = 12_345
    counts[.lost] = 7
    return (0..<count).map { place in
      let start = SampleRun.start.advanced(byMicroseconds: Int64(-place) * 7_200_000_000)
      let end = start.advanced(byMicroseconds: 3_725_000_000)
      return RunEntry(
        id: place == 0 ? RunID("01978f5e-2f40-7000-8000-000000000001") ?? id(0) : id(place),
        name: place % 3 == 1 ? "nightly \(place)\u{1B}[31m" : nil, startedAt: start,
        phase: place == 0 ? .live : .ended(at: end, reason: place == 2 ? "interrupted" : "completed"),
        targets: ["loopback"], counts: counts)
    }
  }

  static func snapshot(_ count: Int) -> Snapshot {
    var snapshot = SampleRun().snapshot
    snapshot.runs = entries(count)
    return snapshot
  }

  @Test("slides in like the others and is only read while it is on the screen")
  func slidesIn() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    #expect(!stage.screen.order.wantsRuns)
    stage.press("4")
    #expect(stage.screen.order.wantsRuns)
    stage.frames(20)
    #expect(stage.screen.panels.active == .runs && stage.rows[0].contains("[4 Runs]"))
    #expect(stage.text.contains("nightly 1␛[31m") && stage.text.contains("12 352"))
    #expect(stage.text.contains("1:02:05 h") == false && stage.text.contains("1:02 h"))
    #expect(stage.text.contains("recording") && stage.text.contains("interrupted"))
    stage.press("1")
    stage.frames(20)
    #expect(!stage.screen.order.wantsRuns)
  }

  @Test("arrows choose a run, and the list scrolls with it")
  func choose() throws {
    var stage = try Stage(columns: 80, rows: 24, snapshot: Self.snapshot(40))
    stage.press("4")
    stage.frames(20)
    for _ in 0..<25 { stage.press(.down) }
    stage.frame()
    #expect(stage.screen.state.runs.chosen == Self.id(25))
    #expect(stage.text.contains(">"))
    #expect(stage.screen.state.runs.top > 0)
    stage.press(.end)
    #expect(stage.screen.state.runs.chosen == Self.id(39))
    stage.press(.down)
    #expect(stage.screen.state.runs.chosen == Self.id(39))
    stage.press(.home)
    #expect(stage.screen.state.runs.place(in: stage.screen.latest.runs) == 0)
    // The chosen one stays chosen when a newer one comes.
    stage.press(.down)
    var more = Self.snapshot(41)
    more.number = 2
    more.runs.insert(
      RunEntry(id: Self.id(99), name: "new", startedAt: more.now, phase: .live, targets: [], counts: Tally()),
      at: 0)
    stage.show(more)
    #expect(stage.screen.state.runs.place(in: more.runs) == 2)
  }

  @Test("enter opens a run, and the view begins anew with it")
  func open() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    stage.press("t")
    stage.press("+")
    stage.press(.left)
    stage.press("4")
    stage.press(.down)
    stage.press(.enter)
    #expect(stage.screen.order.subject == Subject(run: Self.id(1), target: nil))
    var opened = SampleRun(
      phase: .ended(at: SampleRun.start.advanced(byMicroseconds: 110_000_000), reason: "completed")
    ).snapshot
    opened.number = 2
    opened.run?.id = Self.id(1)
    opened.runs = Self.entries(5)
    opened.recording = SampleRun().snapshot.run
    stage.show(opened)
    #expect(stage.screen.state.anchor == .edge && stage.screen.state.scale == nil)
    #expect(stage.rows[0].contains("ended") && stage.rows[0].contains("recording"))
    // Asked for the newest when there already: the newest run.
    stage.press("f")
    #expect(stage.screen.order.subject.run == nil)
  }

  @Test("opening works while the picture is frozen, and the newest run is followed")
  func openFrozen() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    stage.press(" ")
    stage.press("4")
    stage.press(.enter)
    #expect(stage.screen.order.subject.run == nil && !stage.screen.state.isFrozen)
  }

  @Test("two runs at most are marked, and a third takes the place of the first")
  func marks() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    stage.press("4")
    stage.press(" ")
    #expect(!stage.screen.state.isFrozen)
    stage.press(.down)
    stage.press(" ")
    stage.frame()
    #expect(stage.screen.state.runs.marked == [Self.entries(1)[0].id, Self.id(1)])
    #expect(stage.rows.last?.contains("c compares them") == true)
    stage.press(.down)
    stage.press("*")
    #expect(stage.screen.state.runs.marked == [Self.id(1), Self.id(2)])
    stage.press("*")
    #expect(stage.screen.state.runs.marked == [Self.id(1)])
  }

  @Test("lengths are written as people say them")
  func lengths() {
    let second: Int64 = 1_000_000
    #expect(RunsModel.length(48 * second) == "48 s" && RunsModel.length(750 * second) == "12:30 min")
    #expect(RunsModel.length(11_100 * second) == "3:05 h" && RunsModel.length(216_000 * second) == "2.5 d")
  }

  @Test("messages in the last line go after a while and leave nothing due")
  func messages() throws {
    var stage = try Stage()
    stage.frames(40)
    stage.screen.say("saved to \u{1B}x")
    stage.frame()
    #expect(stage.rows.last?.contains("saved to ␛x") == true)
    #expect(stage.screen.nextDeadline != nil)
    stage.wait(.seconds(4))
    #expect(stage.rows.last?.contains("saved") == false && stage.screen.nextDeadline == nil)
  }
}
