/// A mark on the axis of latencies.
struct LatencyTick: Sendable, Hashable {
  /// µs.
  let value: Int64
  let label: String
}
