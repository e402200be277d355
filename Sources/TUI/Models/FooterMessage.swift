import ConstraintAnimation

/// Something said in the last line: for a while, or until the next key.
struct FooterMessage: Sendable, Equatable {
  /// May hold text from outside, as file names do; escaped at the sink.
  let text: String
  var role = Role.accent
  /// When it goes; `nil` waits for a key.
  var until: MotionTime?

  /// How long a passing remark stays.
  static let stay = Duration.seconds(4)
}
