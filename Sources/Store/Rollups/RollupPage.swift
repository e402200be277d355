import Measurement

/// What a read of rollups gives.
public struct RollupPage: Sendable, Equatable {
  /// Ascending by start, then target, then variant; none where nothing was planned. Spans do not overlap, but those at
  /// the ends may be finer than the one that was asked for.
  public var rows: ContiguousArray<RollupRow>
  /// The asked for start, rounded up to a whole second.
  public var coveredFrom: WallTime
  /// The rows are all there is from ``coveredFrom`` up to here. The same as ``coveredFrom`` when nothing is rolled up.
  public var coveredTo: WallTime
  /// Whether the limit was reached: there is more from ``coveredTo`` on.
  public var isTruncated: Bool
  /// The store's revision at the read.
  public var revision: Int64
}
