import ConstraintAnimation

/// One thing a script does.
enum ScriptCommand: Equatable {
  case key(InputEvent.Key, InputEvent.Modifiers)
  case press(x: Int, y: Int)
  /// With the button down, along a straight line, an event a frame.
  case drag(x: Int, y: Int, milliseconds: Int)
  case release
  case click(x: Int, y: Int)
  case wheel(ticks: Int, x: Int, y: Int, InputEvent.Modifiers)
  case frames(Int)
  case wait(milliseconds: Int)
  /// Until nothing moves.
  case settle
  case resize(columns: Int, rows: Int)
  case screen(String)
  case print
  /// Goes on by that many frames and prints each.
  case film(Int)
}
