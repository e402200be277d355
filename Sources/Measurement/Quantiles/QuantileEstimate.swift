/// What can honestly be said of a quantile: a value with its 95 % confidence interval, or that too few values are there
/// to say anything.
public enum QuantileEstimate: Sendable, Hashable {
  /// µs, all three.
  case known(value: Int64, low: Int64, high: Int64)
  /// "n too small (needs 368)".
  case tooFew(needs: Int)
}
