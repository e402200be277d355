import Measurement

/// What the second plot beside the first shows.
enum Comparison: Sendable, Equatable {
  /// Two targets of the run, by their places.
  case targets(Int, Int)
  /// Another run, counted from its own beginning.
  case run(RunID)
}
