import Measurement

/// A run shown as it was at a moment, and the moment moves on.
struct Replay: Sendable, Equatable {
  /// What the picture knows of ends here.
  var position: WallTime
  /// Index into `speeds`.
  private(set) var step = 0
  var isPaused = false

  /// How many times as fast as it happened.
  static let speeds = [1, 2, 5, 10, 20, 50, 100]

  init(at position: WallTime) { self.position = position }

  var speed: Int { Self.speeds[step] }

  mutating func accelerate(by steps: Int) { step = min(max(step + steps, 0), Self.speeds.count - 1) }
}
