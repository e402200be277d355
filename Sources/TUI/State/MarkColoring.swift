/// What the color of an ordinary mark tells. What is wrong has a color of its own in any case.
enum MarkColoring: Sendable, Hashable, CaseIterable {
  /// Which target it went to.
  case target
  /// Whether it was delivered, or accepted only.
  case state

  var next: MarkColoring { self == .target ? .state : .target }
}
