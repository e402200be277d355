import ConstraintAnimation

/// Drives a window frame by frame and keeps what every view's cells were.
public struct FrameRecorder {
  public let window: Window
  public private(set) var clock: SteppedClock
  public private(set) var snapshots: [FrameSnapshot] = []
  public private(set) var changes: [FrameChange] = []

  /// The clock goes on from the window's time.
  public init(_ window: Window, frameRate: Int = 60) {
    self.window = window
    clock = SteppedClock(start: window.time, frameRate: frameRate)
  }

  /// Records the present frame without going on.
  public mutating func recordNow() {
    changes.append(window.advance(to: clock.now))
    snapshots.append(window.snapshot())
  }

  /// Goes on one frame.
  @discardableResult
  public mutating func step() -> FrameSnapshot {
    changes.append(window.advance(to: clock.tick()))
    let snapshot = window.snapshot()
    snapshots.append(snapshot)
    return snapshot
  }

  /// Goes on a number of frames.
  public mutating func run(frames: Int) {
    for _ in 0..<frames { step() }
  }

  /// Goes on until nothing moves, and one frame more. Stops after `limit` frames.
  /// - Returns: the frames it took.
  @discardableResult
  public mutating func runUntilIdle(limit: Int = 6000) -> Int {
    var count = 0
    while count < limit, window.nextDeadline != nil {
      step()
      count += 1
    }
    step()
    return count
  }

  /// A view's cells on each recorded frame; frames on which it was hidden are left out.
  public func cells(of view: View) -> [CellRect] {
    snapshots.compactMap { $0.frames[view.id] }
  }
}

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
