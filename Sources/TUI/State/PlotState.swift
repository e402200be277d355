/// How the plots show what they show.
struct PlotState: Sendable, Equatable {
  var coloring = MarkColoring.target
  var arrangement = MetricArrangement.single
  var averages = AverageLines.both
  /// µs: where a line is drawn; `nil` for none.
  var threshold: Int64?
  var buckets = BucketKind.logarithmic
}
