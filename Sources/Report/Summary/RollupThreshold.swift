/// How much is read one by one before reports turn to what was added up.
struct RollupThreshold: Sendable {
  /// A target with more notifications is read from rollups, as far as there are any.
  var rows = 100_000
  /// Values kept for exact quantiles, over all variants and metrics of a target: lag, service, accept and delivery with
  /// its two ends, and all but the lag once more for requests that opened a connection. 9 MB at most, and a moment to
  /// sort them.
  var values = 1_100_000

  static let standard = RollupThreshold()
  /// Every value of every notification.
  static let exact = RollupThreshold(rows: .max, values: .max)
}
