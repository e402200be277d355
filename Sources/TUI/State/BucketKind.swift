/// What the histogram's buckets are.
enum BucketKind: Sendable, Hashable, CaseIterable {
  /// Of equal ratio.
  case logarithmic
  /// A second each, or the smallest round number of seconds of which there are not too many.
  case seconds

  var next: BucketKind { self == .logarithmic ? .seconds : .logarithmic }
}
