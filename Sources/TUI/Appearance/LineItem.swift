/// A piece of a one-line display that may be left out when there is no room.
struct LineItem: Sendable {
  /// The lowest goes first.
  var priority: Int
  var spans: [TextSpan]

  init(priority: Int, _ spans: [TextSpan]) {
    self.priority = priority
    self.spans = spans
  }

  var columns: Int { TextSpan.columns(of: spans) }
}
