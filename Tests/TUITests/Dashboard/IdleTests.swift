import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Idle costs nothing")
struct IdleTests {
  @Test("nothing is due, nothing is drawn, nothing is written")
  func rest() throws {
    var stage = try Stage()
    stage.frames(60)
    let writer = DiffWriter(
      columns: 120, rows: 40, profile: OutputProfile(colors: .trueColor, synchronizesOutput: true))
    _ = writer.encode(stage.buffer)
    #expect(stage.screen.nextDeadline == nil)
    for _ in 0..<600 {
      #expect(stage.frame().isEmpty)
      #expect(writer.encode(stage.buffer).isEmpty)
    }
  }

  @Test("a snapshot that brings nothing new draws nothing")
  func sameSnapshot() throws {
    var stage = try Stage()
    stage.frames(60)
    let cells = stage.cells(in: stage.buffer.bounds)
    var snapshot = stage.screen.context.latest
    stage.screen.show(snapshot, at: .zero)
    #expect(stage.frame().isEmpty)
    // The same data again under a new number cost a drawing, but look the same.
    snapshot.number += 1
    stage.show(snapshot)
    #expect(stage.cells(in: stage.buffer.bounds) == cells)
  }

  @Test("new data touch the plot and what counts them, not the frame around")
  func damage() throws {
    var stage = try Stage()
    stage.frames(60)
    var run = SampleRun(seconds: 110).snapshot
    run.number = 2
    run.now = run.now.advanced(byMicroseconds: 100_000)
    stage.screen.show(run, at: MotionTime(nanoseconds: 1_100_000_000))
    let damage = stage.screen.advance(to: MotionTime(nanoseconds: 1_100_000_000))
    #expect(damage.y1 <= stage.screen.context.panelFrame.y0 || damage.y0 >= stage.screen.context.plotFrame.y0)
    #expect(!damage.isEmpty)
  }

  @Test("quantiles that were put off are taken half a second later without anything else coming")
  func summaryCatchesUp() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 20).snapshot)
    stage.frame()
    var more = SampleRun(seconds: 25).snapshot
    more.number = 2
    stage.show(more)
    let due = try #require(stage.screen.nextDeadline)
    #expect(stage.screen.context.content?.isSummaryStale == true)
    stage.wait(.milliseconds(500))
    #expect(due.nanoseconds <= 500_000_000)
    #expect(stage.screen.context.content?.isSummaryStale == false)
    let content = try #require(stage.screen.context.content)
    #expect(content.summary.count == content.facts.values.count)
    #expect(stage.screen.nextDeadline == nil)
  }

  @Test("the meter reports once a second and not while nothing is shown")
  func meter() {
    var meter = FrameMeter()
    #expect(meter.due == nil && meter.report(at: 5_000_000_000, skipped: 0) == nil)
    meter.note(at: 1_000, duration: 100_000, bytes: 400)
    meter.note(at: 500_000_000, duration: 300_000, bytes: 800)
    #expect(meter.due == 1_000_001_000)
    #expect(meter.report(at: 1_000_000_999, skipped: 0) == nil)
    #expect(
      meter.report(at: 1_000_001_000, skipped: 3) == FrameCost(microseconds: 200, bytes: 600, skipped: 3))
    #expect(meter.due == nil)
  }
}
