/// Where a ``PropertyAnimator`` is in its life.
public enum AnimatingState: Sendable, Hashable {
  /// Nothing has been run, or everything is over.
  case inactive
  /// Running or paused.
  case active
  /// Stopped in the middle; waits for `finishAnimation(at:)`.
  case stopped
}
