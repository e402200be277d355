/// What the terminal tells about the pointer. While it tells anything, people select text with Shift held down.
public enum MouseReporting: Int, Sendable, Hashable, CaseIterable {
  /// Nothing: the terminal selects and copies as usual.
  case released
  /// Presses, releases, the wheel, and motion with a button down (mode 1002).
  case drags
  /// Motion without a button too (mode 1003), for what follows the pointer.
  case motion
}
