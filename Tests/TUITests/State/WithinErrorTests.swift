import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("Delivery latencies no larger than their own error")
struct WithinErrorTests {
  @Test(
    "are those that DeliveryCertainty marks",
    arguments: [Int64(0), 1, 999, 1_000, 1_001], [nil, 0, 1, 1_000, 5_000_000] as [Int64?])
  func certainty(latency: Int64, error: Int64?) {
    let point = SamplePoint(
      plannedAt: SampleRun.start, plannedMonotonic: 0, scheduleLag: 0, acceptLatency: 100,
      deliveryLatency: latency, state: .delivered, deliveryError: error)
    #expect(point.isWithinError == DeliveryCertainty(latency: latency, error: error).isMarked)
  }

  @Test("are counted above the plot and marked at the crosshair and in the list")
  func shown() throws {
    var snapshot = SampleRun(seconds: 30, rate: 2).snapshot
    var track = PointTrack(target: snapshot.tracks[0].target)
    for index in 0..<30 {
      track.append(
        SamplePoint(
          plannedAt: SampleRun.start.advanced(byMicroseconds: Int64(index) * 1_000_000),
          plannedMonotonic: Int64(index) * 1_000_000, scheduleLag: 10, acceptLatency: 1_000,
          deliveryLatency: 20_000, state: .delivered, deliveryError: index < 4 ? 30_000 : 5_000))
    }
    snapshot.tracks[0] = track
    var stage = try Stage(columns: 160, snapshot: snapshot)
    #expect(stage.rows[1].contains("4 within their error"))
    stage.press("J")
    stage.press(.enter)
    stage.frame()
    #expect(stage.text.contains("±30.0 ms") && stage.text.contains("±5.00 ms"))
    stage.press(.escape)
    stage.press(.escape)
    let frame = stage.screen.context.plotFrame
    // Over the first of them: the plot has one row of marks.
    let row = try #require(stage.rows.firstIndex { $0.contains("20 ms ┤") })
    stage.mouse(.mouseMove, x: frame.x0 + ScatterGeometry.gutter, y: row)
    stage.frame()
    #expect(stage.text.contains("±30.0 ms within its error"))
  }
}
