import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("Comparison")
struct CompareTests {
  private static func two() -> Snapshot {
    SampleRun(seconds: 300, rate: 8, targets: ["ios", "android"]).snapshot
  }

  @Test("a priority goes up, the first plot yields room to the second, and nothing leaps")
  func squeeze() throws {
    var stage = try Stage(snapshot: Self.two())
    stage.frames(30)
    let whole = stage.screen.context.plotFrame
    #expect(stage.otherPlot.width == 0)
    stage.press("c")
    var widths: [Int] = []
    for _ in 0..<20 {
      stage.frame()
      let (first, second) = (stage.screen.context.plotFrame, stage.otherPlot)
      #expect(first.x0 == whole.x0 && second.x1 == whole.x1)
      #expect((0...1).contains(second.x0 - first.x1), "the plots stay glued")
      widths.append(second.width)
    }
    #expect(zip(widths, widths.dropFirst()).allSatisfy { $0 <= $1 } && Set(widths).count > 8)
    let (first, second) = (stage.screen.context.plotFrame, stage.otherPlot)
    #expect(abs(first.width - second.width) <= 1 && first.width + 1 + second.width == whole.width)
    stage.press("c")
    stage.frames(30)
    #expect(stage.screen.context.plotFrame == whole && stage.screen.context.otherContent == nil)
  }

  @Test("two hundred times there and back leaves everything in its place")
  func noDrift() throws {
    var stage = try Stage(motion: .none, snapshot: Self.two())
    stage.frames(30)
    let (first, host) = (stage.screen.context.plotFrame, stage.screen.context.panelFrame)
    for _ in 0..<400 { stage.press("c") }
    stage.frames(2)
    #expect(stage.screen.context.plotFrame == first && stage.screen.context.panelFrame == host)
  }

  @Test("both show the same stretch of time on one scale of latencies, each its own target")
  func sameScale() throws {
    var stage = try Stage(snapshot: Self.two())
    stage.press("c")
    stage.frames(30)
    let first = try #require(stage.screen.context.content)
    let second = try #require(stage.screen.context.otherContent)
    #expect(first.targets == [0] && second.targets == [1])
    #expect(first.window.start == second.window.start && first.window.scale == second.window.scale)
    #expect(
      first.axis(stage.screen.state, for: [.delivery], with: second)
        == second.axis(stage.screen.state, for: [.delivery], with: first))
    #expect(
      stage.text.contains("comparison") && stage.text.contains("A ios") && stage.text.contains("B android"))
    #expect(stage.text.contains("B - A"))
    // The second target of the sample run is 2.4 times as slow.
    let median = try #require(stage.screen.context.differences?.rows.first)
    guard case .known(let value, let low?, let high?) = median.difference else {
      Issue.record("too few")
      return
    }
    #expect(value > 0 && low > 0 && low < value && value < high && median.difference.isProven)
  }

  @Test("with one target and no marks it says what to do")
  func nothingToCompare() throws {
    var stage = try Stage()
    stage.press("c")
    stage.frame()
    #expect(stage.screen.state.comparison == nil && stage.rows.last?.contains("mark two runs") == true)
  }

  @Test("two marked runs stand side by side, each counted from its own beginning")
  func runs() throws {
    var stage = try Stage(snapshot: RunsPanelTests.snapshot(4))
    stage.press("4")
    stage.press(" ")
    stage.press(.down)
    stage.press(" ")
    stage.press("c")
    #expect(stage.screen.context.activePanel == .histogram)
    let wanted = try #require(stage.screen.order.second)
    #expect(wanted.run == RunsPanelTests.id(1))
    stage.frames(30)
    #expect(stage.screen.context.otherContent == nil, "nothing of the other run is known yet")
    var other = SampleRun(seed: 5).snapshot
    let earlier: Int64 = -7_200_000_000
    other.run?.id = RunsPanelTests.id(1)
    other.run?.name = "before"
    other.run?.startedAt = SampleRun.start.advanced(byMicroseconds: earlier)
    var track = PointTrack(target: other.tracks[0].target)
    other.tracks[0].forEachRun(in: 0..<other.tracks[0].count) { run in
      for point in run {
        track.append(
          SamplePoint(
            plannedAt: WallTime(microseconds: point.plannedAt + earlier),
            plannedMonotonic: point.plannedMonotonic,
            scheduleLag: 40, acceptLatency: point.acceptLatency, deliveryLatency: point.deliveryLatency,
            state: point.state))
      }
    }
    other.tracks = [track]
    stage.screen.showOther(other, at: .zero)
    stage.frames(40)
    let first = try #require(stage.screen.context.content)
    let second = try #require(stage.screen.context.otherContent)
    let offset = second.window.start.microseconds - first.window.start.microseconds
    #expect(abs(offset - earlier) <= first.window.scale.columnMicroseconds)
    #expect(second.facts.counts.planned > 0 && stage.text.contains("B before"))
    #expect(stage.screen.order.second?.request != nil)
    stage.press("c")
    stage.frames(30)
    #expect(stage.screen.order.second == nil && stage.text.contains("histogram"))
  }

  /// A run that has ended, or goes on, `start` seconds after the sample run's beginning.
  private static func run(
    _ number: Int, seconds: Int, start: Int64 = 0, isLive: Bool = false, rate: Double = 4, seed: UInt64 = 1
  ) -> Snapshot {
    let shift = start * 1_000_000
    let end = SampleRun.start.advanced(byMicroseconds: Int64(seconds) * 1_000_000 + shift)
    var snapshot = SampleRun(
      seconds: seconds, rate: rate, phase: isLive ? .live : .ended(at: end, reason: "completed"), seed: seed
    ).snapshot
    snapshot.number = UInt64(number) + 10
    snapshot.run?.id = RunsPanelTests.id(number)
    snapshot.run?.startedAt = SampleRun.start.advanced(byMicroseconds: shift)
    snapshot.now = snapshot.now.advanced(byMicroseconds: shift)
    var track = PointTrack(target: snapshot.tracks[0].target)
    snapshot.tracks[0].forEachRun(in: 0..<snapshot.tracks[0].count) { run in
      for point in run {
        track.append(
          SamplePoint(
            plannedAt: WallTime(microseconds: point.plannedAt + shift),
            plannedMonotonic: point.plannedMonotonic, scheduleLag: 40, acceptLatency: point.acceptLatency,
            deliveryLatency: point.deliveryLatency, state: point.state))
      }
    }
    snapshot.tracks = [track]
    snapshot.runs = (1...2).map { place in
      var entry = RunsPanelTests.entries(3)[place]
      entry.id = RunsPanelTests.id(place)
      return entry
    }
    return snapshot
  }

  /// Marks both runs and compares them, the one on display first.
  private static func compared(_ first: Snapshot, _ second: Snapshot, columns: Int = 120) throws -> Stage {
    var stage = try Stage(columns: columns, rows: 32, motion: .none, snapshot: first)
    stage.press("4")
    let isSecond = first.run?.id == RunsPanelTests.id(2)
    if isSecond { stage.press(.down) }
    stage.press(" ")
    stage.press(isSecond ? .up : .down)
    stage.press(" ")
    stage.press("c")
    stage.frame()
    stage.screen.showOther(second, at: .zero)
    stage.frames(3)
    return stage
  }

  /// How long the second run has been going on where its plot begins and ends, in seconds.
  private static func place(_ content: PlotContent, of run: Snapshot) throws -> ClosedRange<Int64> {
    let start = try #require(run.run).startedAt.microseconds
    let (from, to) = (content.window.start.microseconds - start, content.window.end.microseconds - start)
    return from / 1_000_000...to / 1_000_000
  }

  @Test(
    "runs of unequal length open on what both have, whichever of them is longer",
    arguments: [(3_600, 60), (60, 3_600), (900, 840), (7_200, 5), (300, 300)], [60, 120, 200])
  func unequal(_ seconds: (Int, Int), columns: Int) throws {
    let first = Self.run(2, seconds: seconds.0)
    let second = Self.run(1, seconds: seconds.1, start: -86_400, seed: 7)
    let stage = try Self.compared(first, second, columns: columns)
    let shown = try #require(stage.screen.context.content)
    let other = try #require(stage.screen.context.otherContent)
    #expect(shown.facts.counts.planned > 0 && other.facts.counts.planned > 0)
    // All of the shorter run is in view, from the beginning, and it fills as much of the window as scales allow.
    let common = Int64(min(seconds.0, seconds.1))
    for (content, run) in [(shown, first), (other, second)] {
      let place = try Self.place(content, of: run)
      #expect(abs(place.lowerBound) <= content.window.scale.columnDuration.components.seconds + 1)
      #expect(place.upperBound >= common && place.upperBound <= max(2, 3 * common), "\(place)")
    }
  }

  @Test("a live run that has outgrown the other opens on what both have, and f follows it")
  func liveFirst() throws {
    let first = Self.run(2, seconds: 1_200, isLive: true)
    let second = Self.run(1, seconds: 60, start: -86_400)
    var stage = try Self.compared(first, second)
    let other = try #require(stage.screen.context.otherContent)
    #expect(other.facts.counts.planned > 0 && stage.screen.request?.to != nil)
    #expect(stage.rows[0].contains("looking back"))
    stage.press("f")
    stage.frame()
    #expect(stage.screen.state.anchor == .edge)
  }

  @Test("a live run that is younger than the other goes on being followed")
  func youngLiveFirst() throws {
    let stage = try Self.compared(
      Self.run(2, seconds: 40, isLive: true), Self.run(1, seconds: 600, start: -86_400))
    #expect(stage.screen.state.anchor == .edge)
    #expect(try #require(stage.screen.context.otherContent).facts.counts.planned > 0)
  }

  @Test("of very many notifications, too, what both have is shown from both beginnings")
  func dense() throws {
    let (first, second) = (
      Self.run(2, seconds: 700, rate: 40), Self.run(1, seconds: 600, start: -86_400, rate: 40)
    )
    let stage = try Self.compared(first, second)
    let place = try Self.place(#require(stage.screen.context.otherContent), of: second)
    #expect(abs(place.lowerBound) <= 20 && place.upperBound >= 600)
    #expect(try #require(stage.screen.context.otherContent).facts.counts.planned > 20_000)
  }

  @Test("plots and panel are titled A and B, with what was planned and arrived, and what the intervals mean")
  func titles() throws {
    var stage = try Stage(columns: 160, rows: 44, motion: .none, snapshot: Self.two())
    stage.press("c")
    stage.frames(3)
    #expect(stage.rows[1].contains("A ios") && stage.rows[1].contains("B android"))
    let panel = Golden.rows(of: stage.part(stage.screen.context.panelFrame))
    #expect(panel[0].contains("B is slower at p50"))
    #expect(panel.contains { $0.contains("planned") && $0.contains(where: \.isNumber) })
    #expect(panel.contains { $0.contains("arrived") && $0.contains(" %") && $0.contains("points") })
    #expect(panel.contains { $0.contains("B is slower") })
    // The same target twice: no interval shows anything.
    var same = SampleRun(targets: ["ios", "web", "android"]).snapshot
    same.tracks[2] = PointTrack(target: same.tracks[2].target)
    stage = try Stage(columns: 160, rows: 44, motion: .none, snapshot: same)
    stage.press("c")
    stage.press("t")
    stage.frames(3)
    #expect(stage.text.contains("neither a difference nor that there is none"))
  }

  @Test("a place that was gone to and that both have stays; one that the other lacks does not")
  func chosenPlace() throws {
    let second = Self.run(1, seconds: 600, start: -86_400)
    for (moment, stays) in [("+0s", true), ("14:07", true), ("14:58", false)] {
      var stage = try Stage(motion: .none, snapshot: Self.run(2, seconds: 3_600))
      stage.press("+")
      stage.press("+")
      stage.press("+")
      stage.press("+")
      stage.press("g")
      for character in moment == "+0s" ? "14:04" : moment { stage.press(character) }
      stage.press(.enter)
      let anchor = stage.screen.state.anchor
      stage.press("4")
      stage.press(.down)
      stage.press(" ")
      stage.press(.up)
      stage.press(" ")
      stage.press("c")
      stage.screen.showOther(second, at: .zero)
      stage.frame()
      #expect((stage.screen.state.anchor == anchor) == stays, "\(moment)")
      #expect(try #require(stage.screen.context.otherContent).facts.counts.planned > 0)
    }
  }

  @Test(
    "zooming and panning start from what was opened, and the end of the comparison goes back to the newest")
  func leaves() throws {
    var stage = try Self.compared(Self.run(2, seconds: 3_600), Self.run(1, seconds: 60, start: -86_400))
    let opened = try #require(stage.screen.context.content).window
    stage.press("-")
    stage.frame()
    #expect(try #require(stage.screen.context.content).window.scale == opened.scale.coarser)
    stage = try Self.compared(Self.run(2, seconds: 3_600), Self.run(1, seconds: 60, start: -86_400))
    stage.press("c")
    stage.frames(3)
    #expect(stage.screen.state.anchor == .edge && stage.screen.state.comparison == nil)
  }

  @Test("the panel says of an interval with 0 in it what it says: nothing either way")
  func method() throws {
    for (columns, rows) in [(120, 40), (80, 40), (60, 50)] {
      var stage = try Stage(columns: columns, rows: rows, motion: .none, snapshot: Self.two())
      stage.press("c")
      stage.frames(3)
      let panel = stage.part(stage.screen.context.panelFrame)
      let text = Golden.rows(of: panel).joined().split(separator: " ").joined(separator: " ")
      #expect(
        text.contains(
          "without 0 in it shows a difference; one with 0 in it shows neither a difference nor that there is none."
        ), "\(columns)x\(rows)")
      #expect(!text.contains("proves no difference"))
    }
  }

  @Test("a sentence that has no room is left out, never cut in two")
  func methodIsWhole() throws {
    for rows in 16...40 {
      var stage = try Stage(columns: 60, rows: rows, motion: .none, snapshot: Self.two())
      stage.press("c")
      stage.frames(2)
      let panel = Golden.rows(of: stage.part(stage.screen.context.panelFrame)).joined(separator: " ")
      #expect(panel.contains("An interval of") == panel.contains("there is none."), "\(rows)")
    }
  }

  @Test("on each frame of its slide, however late, each plot shows as many columns as it has room for")
  func columnsOfSlides() throws {
    var generator = SeededGenerator(seed: 6)
    let snapshot = SampleRun(targets: ["a", "b"]).snapshot
    for columns in 100..<124 {
      var stage = try Stage(columns: columns, rows: 30, snapshot: snapshot)
      for _ in 0..<2 {
        stage.press("c")
        for _ in 0..<40 {
          stage.wait(.milliseconds(Int.random(in: 1...16, using: &generator)))
          let context = stage.screen.context
          let room = context.panes(stage.screen.state).columns
          #expect(context.content?.window.columns == room, "\(columns)")
        }
      }
      #expect(stage.screen.state.comparison == nil)
    }
  }
}
