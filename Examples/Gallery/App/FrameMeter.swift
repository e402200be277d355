import ConstraintAnimation

/// The mean cost of the frames of the last half second, as text for the footer.
struct FrameMeter {
  private var frames = 0
  private var spent = Duration.zero
  private var bytes = 0
  private var last = MotionTime.zero

  private static let interval = Duration.milliseconds(500)

  mutating func note(_ duration: Duration, bytes count: Int) {
    frames += 1
    spent += duration
    bytes += count
  }

  /// Once in half a second and when there is something to tell; begins anew then.
  mutating func text(at time: MotionTime) -> String? {
    guard frames > 0, time - last >= Self.interval else { return nil }
    let tens = Int(spent / Duration.microseconds(10)) / frames
    let text = "frame \(tens / 100).\(tens % 100 / 10)\(tens % 10) ms \(bytes / frames) B"
    self = FrameMeter()
    last = time
    return text
  }
}
