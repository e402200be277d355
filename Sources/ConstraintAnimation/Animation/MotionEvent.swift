/// A value that tells the outside about an animation.
public enum MotionEvent: Sendable, Hashable {
  case began(id: UInt64)
  case completed(id: UInt64, finished: Bool)
}
