import Measurement

/// What a rollup holds.
struct RollupContent: Equatable {
  var counts = StateCounts()
  var service = PackedLatencies(bytes: [])
  var accept = PackedLatencies(bytes: [])
  var delivery = PackedLatencies(bytes: [])
}
