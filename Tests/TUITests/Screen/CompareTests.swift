import ConstraintAnimation
import Measurement
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
    let whole = stage.screen.plot.cellFrame
    #expect(stage.screen.otherPlot.cellFrame.width == 0)
    stage.press("c")
    var widths: [Int] = []
    for _ in 0..<20 {
      stage.frame()
      let (first, second) = (stage.screen.plot.cellFrame, stage.screen.otherPlot.cellFrame)
      #expect(first.x0 == whole.x0 && second.x1 == whole.x1)
      #expect((0...1).contains(second.x0 - first.x1), "the plots stay glued")
      widths.append(second.width)
    }
    #expect(zip(widths, widths.dropFirst()).allSatisfy { $0 <= $1 } && Set(widths).count > 8)
    let (first, second) = (stage.screen.plot.cellFrame, stage.screen.otherPlot.cellFrame)
    #expect(abs(first.width - second.width) <= 1 && first.width + 1 + second.width == whole.width)
    stage.press("c")
    stage.frames(30)
    #expect(stage.screen.plot.cellFrame == whole && stage.screen.otherContent == nil)
  }

  @Test("two hundred times there and back leaves everything in its place")
  func noDrift() throws {
    var stage = try Stage(motion: .none, snapshot: Self.two())
    stage.frames(30)
    let (first, host) = (stage.screen.plot.cellFrame, stage.screen.host.cellFrame)
    for _ in 0..<400 { stage.press("c") }
    stage.frames(2)
    #expect(stage.screen.plot.cellFrame == first && stage.screen.host.cellFrame == host)
  }

  @Test("both show the same stretch of time on one scale of latencies, each its own target")
  func sameScale() throws {
    var stage = try Stage(snapshot: Self.two())
    stage.press("c")
    stage.frames(30)
    let first = try #require(stage.screen.content)
    let second = try #require(stage.screen.otherContent)
    #expect(first.targets == [0] && second.targets == [1])
    #expect(first.window.start == second.window.start && first.window.scale == second.window.scale)
    #expect(
      first.axis(stage.screen.state, for: [.delivery], with: second)
        == second.axis(stage.screen.state, for: [.delivery], with: first))
    #expect(
      stage.text.contains("comparison") && stage.text.contains("A ios") && stage.text.contains("B android"))
    #expect(stage.text.contains("B - A"))
    // The second target of the sample run is 2.4 times as slow.
    let median = try #require(stage.screen.differences?.rows.first)
    guard case .known(let value, let low, let high) = median.difference else {
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
    #expect(stage.screen.panels.active == .histogram)
    let wanted = try #require(stage.screen.order.second)
    #expect(wanted.run == RunsPanelTests.id(1))
    stage.frames(30)
    #expect(stage.screen.otherContent == nil, "nothing of the other run is known yet")
    var other = SampleRun(seed: 5).snapshot
    let earlier: Int64 = -7_200_000_000
    other.run?.id = RunsPanelTests.id(1)
    other.run?.name = "before"
    other.run?.startedAt = SampleRun.start.advanced(byMicroseconds: earlier)
    var track = PointTrack(target: other.tracks[0].target)
    other.tracks[0].forEachRun(in: 0..<other.tracks[0].count) { run in
      for point in run {
        track.append(
          PlotPoint(
            plannedAt: WallTime(microseconds: point.plannedAt + earlier),
            plannedMonotonic: point.plannedMonotonic,
            scheduleLag: 40, acceptLatency: point.acceptLatency, deliveryLatency: point.deliveryLatency,
            state: point.state))
      }
    }
    other.tracks = [track]
    stage.screen.showOther(other, at: .zero)
    stage.frames(40)
    let first = try #require(stage.screen.content)
    let second = try #require(stage.screen.otherContent)
    let offset = second.window.start.microseconds - first.window.start.microseconds
    #expect(abs(offset - earlier) <= first.window.scale.columnDuration)
    #expect(second.facts.counts.total > 0 && stage.text.contains("B before"))
    #expect(stage.screen.order.second?.request != nil)
    stage.press("c")
    stage.frames(30)
    #expect(stage.screen.order.second == nil && stage.text.contains("histogram"))
  }
}
