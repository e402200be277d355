/// How the range follows the data.
enum LatencyRange: Sendable, Hashable, CaseIterable {
  /// Everything in view fits.
  case automatic
  /// The highest per cent may stick out; it is marked at the edge. One spike then does not flatten the rest.
  case capped
}
