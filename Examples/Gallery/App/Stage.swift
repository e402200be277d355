import ConstraintAnimation

/// Where a screen builds itself.
struct Stage {
  let view: View
  let window: Window
  let palette: CommandPalette
}
