/// What a read of points gives, with the point in the store's history at which it was taken.
public struct PointPage: Sendable, Equatable {
  /// Ascending by id, so by target, then sequence.
  public var points: ContiguousArray<SamplePoint>
  /// The store's revision at the read: the cursor to follow changes from.
  public var revision: Int64
  /// Whether there were more than the limit; the oldest were left out.
  public var isTruncated: Bool
}
