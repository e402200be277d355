import ConstraintAnimation
import ConstraintAnimationTestKit
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
    #expect(
      damage.bounds.y1 <= stage.screen.context.panelFrame.y0
        || damage.bounds.y0 >= stage.screen.context.plotFrame.y0)
    #expect(!damage.isEmpty)
  }

  @Test("while looking back, what is new elsewhere draws nothing, and what changes in the window does")
  func lookingBack() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 300).snapshot)
    for _ in 0..<8 { stage.press(.left) }
    stage.frames(60)
    let plot = stage.screen.context.plotFrame
    let window = try #require(stage.screen.context.content?.window)
    var snapshot = stage.screen.context.latest
    #expect(window.end < snapshot.edge && stage.screen.context.content?.facts.hasPending == false)
    let track = snapshot.tracks[0]
    func show(_ change: (inout Snapshot) -> Void) -> CellRegion {
      change(&snapshot)
      snapshot.number += 1
      stage.screen.show(snapshot, at: stage.clock.now)
      return stage.frame().intersection(plot)
    }
    let later = show {
      $0.now = $0.now.advanced(byMicroseconds: 200_000)
      $0.monotonicNow = $0.monotonicNow.map { $0 + .milliseconds(200) }
      let last = track[track.count - 1]
      $0.tracks[0].append(
        SamplePoint(
          plannedAt: $0.now, plannedMonotonic: last.plannedMonotonic + 200_000, scheduleLag: 40,
          acceptLatency: 4_000, deliveryLatency: nil, state: .inFlight))
    }
    #expect(later.isEmpty)
    let seen = track.range(from: window.start, to: window.end).lowerBound + 3
    let change = show {
      let point = track[seen]
      _ = $0.tracks[0].update(
        sequence: track.firstSequence + Int64(seen),
        to: SamplePoint(
          plannedAt: WallTime(microseconds: point.plannedAt), plannedMonotonic: point.plannedMonotonic,
          scheduleLag: 40, acceptLatency: 4_000, deliveryLatency: nil, state: .lost))
    }
    #expect(!change.isEmpty)
    let mark = show {
      $0.axisMarks.append([
        ListEntry(
          revision: 1_000,
          row: Event(
            at: window.start.advanced(byMicroseconds: window.duration.microseconds / 2), kind: .connected,
            target: $0.targets[0].id))
      ])
    }
    #expect(!mark.isEmpty)
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
    #expect(meter.due == nil && meter.report(at: MotionTime(nanoseconds: 5_000_000_000), skipped: 0) == nil)
    let first = MotionTime(nanoseconds: 1_000)
    meter.record(at: first, duration: .microseconds(100), bytes: 400)
    meter.record(at: first + .milliseconds(500), duration: .microseconds(300), bytes: 800)
    #expect(meter.due == first + .seconds(1))
    #expect(meter.report(at: MotionTime(nanoseconds: 1_000_000_999), skipped: 0) == nil)
    #expect(
      meter.report(at: first + .seconds(1), skipped: 3)
        == FrameCost(duration: .microseconds(200), bytes: 600, skipped: 3))
    #expect(meter.due == nil)
  }
}
