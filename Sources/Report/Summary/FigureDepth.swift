/// How much is read one by one before reports turn to what was added up.
struct FigureDepth: Sendable {
  /// A target with more notifications is read from rollups, as far as there are any.
  var rows = 100_000
  /// Values kept for exact quantiles, over all variants and metrics of a target; 5 MB of them, and a moment to sort them.
  var values = 600_000

  static let standard = FigureDepth()
  /// Every value of every notification.
  static let exact = FigureDepth(rows: .max, values: .max)
}
