import ConstraintAnimation

/// Something said in the last line for a while.
struct FooterMessage: Sendable, Equatable {
  /// May hold text from outside; escaped at the sink.
  let text: String
  let role: Role
  /// When it goes.
  let until: MotionTime

  /// How long it stays.
  static let stay = Duration.seconds(4)
}
