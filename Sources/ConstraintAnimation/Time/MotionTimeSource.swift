/// What a program drives a window with: a clock to read and a way to wait. The library only declares it; a program
/// wraps `ContinuousClock`, a test a clock that is stepped by hand.
public protocol MotionTimeSource: Sendable {
  func now() -> MotionTime

  /// Returns at `deadline` or later, or throws when the task is cancelled.
  func sleep(until deadline: MotionTime) async throws
}
