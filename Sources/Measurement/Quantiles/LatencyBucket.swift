/// Values that a histogram does not tell apart, and how many there are.
public struct LatencyBucket: Sendable, Hashable {
  /// µs.
  public var lower: Int64
  /// µs, included.
  public var upper: Int64
  public var count: Int
}
