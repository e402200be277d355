import ConstraintAnimation

extension MotionTime {
  static func milliseconds(_ count: Int64) -> MotionTime { MotionTime(nanoseconds: count * 1_000_000) }

  /// The time of a frame at 60 Hz.
  static func frame(_ index: Int64) -> MotionTime { MotionTime(nanoseconds: index * 1_000_000_000 / 60) }
}
