import Measurement

/// What a rollup is of. Ordered as the table is.
struct RollupKey: Hashable, Comparable {
  var span: RollupSpan
  /// Seconds since 1970.
  var start: Int64
  var target: TargetID
  var variant: VariantID

  static func < (a: Self, b: Self) -> Bool {
    (a.span.rawValue, a.start, a.target.rawValue, a.variant.rawValue)
      < (b.span.rawValue, b.start, b.target.rawValue, b.variant.rawValue)
  }
}
