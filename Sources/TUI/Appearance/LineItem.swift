/// A piece of a one-line display that may be shortened or left out when there is no room.
struct LineItem: Sendable {
  /// What is shown instead when it would have to go, and how long that stays.
  struct Short: Sendable {
    var priority: Int
    var spans: [TextSpan]
  }

  /// The lowest goes first.
  var priority: Int
  var spans: [TextSpan]
  /// `nil` when it cannot be said in fewer columns.
  var short: Short?

  init(priority: Int, _ spans: [TextSpan], short: Short? = nil) {
    self.priority = priority
    self.spans = spans
    self.short = short
  }

  /// The same in fewer columns; `nil` when it is as short as it can be.
  var shortened: LineItem? { short.map { LineItem(priority: $0.priority, $0.spans) } }

  var columns: Int { TextSpan.columns(of: spans) }
}
