/// How the range follows the data.
enum LatencyRange: Sendable, Hashable {
  /// Everything in view fits.
  case automatic
  /// The highest per cent may stick out; it is marked at the edge. One spike then does not flatten the rest.
  case capped
  /// Stays, whatever comes; µs.
  case fixed(lower: Int64, upper: Int64)
}
