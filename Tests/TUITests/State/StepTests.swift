import Measurement
import Store
import Testing

@testable import TUI

/// `.` and `,` where no notification is near the crosshair.
@Suite("Steps from one notification to the next")
struct StepTests {
  /// All of an ended run of 110 s, where what was planned at some seconds has arrived; of the rest nothing was heard after it was accepted.
  private static func stage(targets: [String], hasArrived: (Double) -> Bool) throws -> Stage {
    let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
    var run = SampleRun(rate: 20, targets: targets, phase: .ended(at: end, reason: "completed"))
    run.snapshot.tracks = run.snapshot.tracks.map { former in
      var track = PointTrack(target: former.target)
      former.forEachRun(in: 0..<former.count) { points in
        for point in points {
          let isThere = hasArrived(second(of: point))
          track.append(
            SamplePoint(
              plannedAt: WallTime(microseconds: point.plannedAt), plannedMonotonic: point.plannedMonotonic,
              scheduleLag: 40, acceptLatency: 4_000, deliveryLatency: isThere ? 180_000 : nil,
              state: isThere ? .delivered : .accepted, deliveryError: 0))
        }
      }
      return track
    }
    var stage = try Stage(snapshot: run.snapshot)
    stage.press("0")
    stage.frame()
    return stage
  }

  private static func second(of point: SamplePoint) -> Double {
    Double(point.plannedAt - SampleRun.start.microseconds) / 1e6
  }

  /// When the notification that was stepped to was planned, s since the beginning.
  private static func stepped(_ stage: Stage) throws -> Double {
    second(of: try #require(stage.screen.state.plot.stepped).point)
  }

  @Test("steps lead over a gap to the next of all targets that has a mark", arguments: [["a"], ["a", "b"]])
  func stepsOverGap(targets: [String]) throws {
    var stage = try Self.stage(targets: targets) { abs($0 - 55) > 40 }
    let probe = try #require(stage.scene?.hitTester(of: 0))
    var marks: [Double] = []
    probe.forEachMark(in: 0...probe.geometry.columns - 1) { _, _, point, _, _, _ in
      marks.append(Self.second(of: point))
    }
    marks.sort()
    stage.press(".")
    #expect(try Self.stepped(stage) == marks.first { $0 > 55 })
    stage.press(",")
    #expect(try Self.stepped(stage) == marks.last { $0 < 55 })
    // From the gap backward.
    stage.press("i")
    stage.press("i")
    stage.press(",")
    #expect(try Self.stepped(stage) == marks.last { $0 < 55 })
    for mark in marks where mark > 55 {
      stage.press(".")
      #expect(try Self.stepped(stage) == mark)
    }
    stage.press(".")
    stage.frame()
    #expect(stage.text.contains("no notification after this in the window"))
    #expect(try Self.stepped(stage) == marks.last)
  }

  @Test("where none is in the direction of a step it leads to the nearest in the other, and says so")
  func stepsBack() throws {
    var early = try Self.stage(targets: ["a"]) { $0 < 15 }
    early.press(".")
    early.frame()
    #expect(try 14..<15 ~= Self.stepped(early) && early.text.contains("the last notification of the window"))
    var late = try Self.stage(targets: ["a"]) { $0 > 95 }
    late.press(",")
    late.frame()
    #expect(try 95..<96 ~= Self.stepped(late) && late.text.contains("the first notification of the window"))
    late.press(",")
    late.frame()
    #expect(late.text.contains("no notification before this in the window"))
    var none = try Self.stage(targets: ["a"]) { _ in false }
    none.press(".")
    none.frame()
    #expect(
      none.screen.state.plot.stepped == nil && none.text.contains("no notification after this in the window"))
  }
}
