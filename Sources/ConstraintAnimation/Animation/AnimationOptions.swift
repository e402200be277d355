/// How an animation behaves beside its curve.
public struct AnimationOptions: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Replaces running animations of what the block changes by one from what is on screen; a spring takes over the
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
