import ConstraintAnimation

/// A clock that stands still until it is told to go on, with the frames of a display counted for convenience.
public struct SteppedClock: Sendable {
  public private(set) var now: MotionTime

  /// Frames a second.
  public let frameRate: Int

  private let start: MotionTime
  private var frames: Int64 = 0

  public init(start: MotionTime = .zero, frameRate: Int = 60) {
    self.start = start
    self.frameRate = max(1, frameRate)
    now = start
  }

  /// The next frame's time. Frame k is at k / rate exactly (rounded to a nanosecond), however many came before.
  @discardableResult
  public mutating func tick() -> MotionTime {
    frames += 1
    now = MotionTime(nanoseconds: start.nanoseconds + frames * 1_000_000_000 / Int64(frameRate))
    return now
  }

  /// Goes on by any amount; later ticks count from the last frame before.
  @discardableResult
  public mutating func advance(by duration: Duration) -> MotionTime {
    now = now + duration
    frames = (now.nanoseconds - start.nanoseconds) * Int64(frameRate) / 1_000_000_000
    return now
  }
}
