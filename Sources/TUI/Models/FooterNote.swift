import ConstraintAnimation

/// An answer to what a person asked for, shown in the last line until the next key.
struct FooterNote: Sendable, Hashable {
  /// May come from outside, as file names do; escaped at sinks.
  let text: String
  /// It did not work.
  var isFailure = false

  func spans(_ appearance: Appearance) -> [TextSpan] {
    [TextSpan(text, appearance(isFailure ? .alarm : .strong))]
  }
}
