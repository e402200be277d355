/// What painting costs, for people who want to know.
public struct FrameStatistics: Sendable, Hashable {
  /// Frames that were encoded, also those that changed nothing.
  public internal(set) var frames = 0
  /// Frames that were left out because the terminal did not take more.
  public internal(set) var skippedFrames = 0
  /// Frames that the terminal took in more than one piece.
  public internal(set) var partialWrites = 0
  public internal(set) var totalBytes = 0
  public internal(set) var lastFrameBytes = 0
  /// Comparing and encoding the last frame.
  public internal(set) var lastEncodeDuration = Duration.zero
  /// The system call that wrote the last frame.
  public internal(set) var lastWriteDuration = Duration.zero

  public init() {}

  /// Encoding and writing the last frame, in microseconds.
  public var lastFrameMicroseconds: Double {
    (lastEncodeDuration + lastWriteDuration) / .microseconds(1)
  }
}

/// What became of a frame.
public enum FrameOutcome: Sendable, Hashable {
  case written(bytes: Int)
  /// The terminal shows it already; nothing was written.
  case unchanged
  /// The terminal does not take more now. Present again when it does; `nextEvents` waits for that too.
  case skipped
  /// The terminal is gone; `hangup` follows.
  case failed
}
