import ConstraintAnimation
import Measurement

@testable import TUI

extension PlotContent {
  /// Of a single frame.
  init(
    snapshot: Snapshot, state: ViewState, columns: Int, place: TimeWindow? = nil, previous: PlotContent?,
    figures: WindowFigures? = nil, at time: MotionTime
  ) {
    var tiles = StatisticsTiles()
    self.init(
      snapshot: snapshot, state: state, columns: columns, place: place, previous: previous, figures: figures,
      &tiles, at: time)
  }
}

extension WindowStatistics {
  /// µs.
  var values: [Int64] { Array(parts.joined()) }
}

extension HistogramBuckets {
  init(axis: LatencyAxis, columns: Int, now: Values, before: Values, selected: Values = Values([])) {
    var kept = BucketCounts()
    self.init(axis: axis, columns: columns, now: now, before: before, selected: selected, &kept)
  }

  init(secondsUpTo largest: Int64, columns: Int, now: Values, before: Values, selected: Values = Values([])) {
    var kept = BucketCounts()
    self.init(secondsUpTo: largest, columns: columns, now: now, before: before, selected: selected, &kept)
  }
}
