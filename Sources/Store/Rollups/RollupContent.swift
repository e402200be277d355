import Measurement

/// What a rollup holds.
struct RollupContent: Equatable {
  var counts = StateCounts()
  var remarks = RollupRemarks()
  var figures = PerFigure(PackedLatencies(bytes: []))
}
