/// Whether the terminal shows a frame at once when it stands between `CSI ? 2026 h` and `CSI ? 2026 l`.
public enum SynchronizedOutput: Sendable, Hashable {
  case unsupported
  /// Not known by name: ask (DECRQM), and use it when the answer says so.
  case ask
  case supported
}
