import Measurement

/// What the two plots show.
enum Comparison: Sendable, Equatable {
  /// Two targets of the run, by index.
  case targets(Int, Int)
  /// Another run beside the one on display, aligned at their starts.
  case run(RunID)
}

/// A run shown as it was known at a moment that moves on.
struct Replay: Sendable, Equatable {
  /// The moment.
  var position: WallTime
  /// Index into `speeds`.
  private var step = 0
  var isPaused = false

  /// Multiples of real time.
  static let speeds = [1, 2, 5, 10, 20, 50, 100]

  init(at position: WallTime) { self.position = position }

  var speed: Int { Self.speeds[step] }

  /// Moves on.
  /// - Parameters:
  ///   - elapsed: real time.
  ///   - edge: the end of what is recorded, where it pauses.
  /// - Returns: whether it has come to the end.
  mutating func advance(by elapsed: Duration, to edge: WallTime) -> Bool {
    position = min(edge, position + elapsed * speed)
    if position == edge { isPaused = true }
    return position == edge
  }

  mutating func accelerate(by steps: Int) { step = min(max(step + steps, 0), Self.speeds.count - 1) }
}
