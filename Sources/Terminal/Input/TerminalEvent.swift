public import ConstraintAnimation

/// What a terminal session hands to its owner.
public enum TerminalEvent: Sendable, Equatable {
  /// A key, the pointer, or the focus.
  case input(InputEvent)
  /// Text that came from the clipboard in one piece. As hostile as any other text; at most
  /// 65 536 bytes, the rest is dropped.
  case paste(String)
  /// The size changed; the next frame paints everything.
  case resize(columns: Int, rows: Int)
  /// Ctrl-Z, or SIGTSTP from elsewhere. The owner brings its affairs in order and calls `suspend()`.
  case suspend
  /// The process was stopped and goes on; the next frame paints everything.
  case resumed
  /// Ctrl-C or SIGINT.
  case interrupt
  /// SIGTERM, SIGHUP or another signal that asks for an end.
  case terminate(signal: Int32)
  /// The terminal is gone: nothing more can be read or shown.
  case hangup
  /// What the terminal says its own background is: once, soon after the start, where it answers at all.
  case background(Color)
  /// `TerminalWaker.wake()` was called.
  case wake
}
