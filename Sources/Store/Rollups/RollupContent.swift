import Measurement

/// What a rollup holds.
struct RollupContent: Equatable {
  var counts = StateCounts()
  var remarks = RollupSideCounts()
  var figures = PerFigure(PackedLatencies(bytes: []))
}
