/// How an animation behaves beside its curve.
public struct AnimationOptions: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Replaces running animations of the changed properties by one from what is on screen; a spring takes over the
  /// speed too. Without it animations add up.
  public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 0)

  /// Starts again when it ends, until it is cancelled.
  public static let `repeat` = AnimationOptions(rawValue: 1 << 1)

  /// Runs back after running forth; the model keeps the end.
  public static let autoreverse = AnimationOptions(rawValue: 1 << 2)

  /// Interpolates the constraint constants and solves on each frame instead of interpolating the solved edges: for
  /// layouts in which inequalities take over half way.
  public static let resolveEachFrame = AnimationOptions(rawValue: 1 << 3)

  /// Flushes what is pending, without animation, before the block runs: the first half of the sandwich.
  public static let layoutFirst = AnimationOptions(rawValue: 1 << 4)
}

/// How much motion is shown. Completions come in the same order on each level.
public enum MotionLevel: Sendable, Hashable, CaseIterable {
  /// Everything moves.
  case full
  /// No movement: frames and transforms take their end values at once; colors and alpha still blend.
  case basic
  /// Everything takes its end value, and animations complete, at once.
  case none
}

/// An animation's begin or end.
public enum MotionEvent: Sendable, Hashable {
  case began(id: UInt64)
  case completed(id: UInt64, finished: Bool)
}

/// Durations and springs of an interface's motion, so that a program sets them in one place.
public struct MotionTheme: Sendable, Hashable {
  /// How panels change.
  public var panels: PagedTransition
  /// How long a dragged page takes to its resting place.
  public var snapDuration: Duration
  /// How long a group makes room for a child, or takes it back.
  public var growDuration: Duration
  /// How long a child takes to appear and to vanish.
  public var fadeDuration: Duration
  /// What appears with a spring.
  public var spring: SpringTiming

  public init(
    panels: PagedTransition = PagedTransition(), snapDuration: Duration = .milliseconds(300),
    growDuration: Duration = .nanoseconds(166_666_667), fadeDuration: Duration = .milliseconds(250),
    spring: SpringTiming = SpringTiming(
      dampingRatio: 0.75, duration: .milliseconds(250), initialVelocity: 0.7)
  ) {
    self.panels = panels
    self.snapDuration = snapDuration
    self.growDuration = growDuration
    self.fadeDuration = fadeDuration
    self.spring = spring
  }
}
