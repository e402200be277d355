/// The end an animator came to.
public enum AnimatingPosition: Sendable, Hashable {
  case start, end, current
}
