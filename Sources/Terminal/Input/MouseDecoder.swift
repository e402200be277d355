import ConstraintAnimation

/// Turns mouse reports into pointer events (xterm, "Mouse Tracking").
///
/// Only the left button presses and drags; the others have no meaning here and must not look like it. Tilting the
/// wheel sideways is left out: trackpads do it all the time without being asked.
struct MouseDecoder {
  private var isDown = false

  /// SGR (mode 1006): the button's number survives the release.
  mutating func decodeSGR(
    code: Int, column: Int, row: Int, isRelease: Bool, _ events: inout [TerminalEvent]
  ) {
    decode(code, column - 1, row - 1, isRelease: isRelease, &events)
  }

  /// X10: three bytes, each 32 more than it means; a release does not say of which button.
  mutating func decodeX10(code: UInt8, column: UInt8, row: UInt8, _ events: inout [TerminalEvent]) {
    guard code >= 32 && column > 32 && row > 32 else { return }
    var value = Int(code) - 32
    let isRelease = value & 0b1110_0011 == 3
    if isRelease { value &= ~3 }
    decode(value, Int(column) - 33, Int(row) - 33, isRelease: isRelease, &events)
  }

  /// Bits of the code: 0-1 button (3 none), 2 Shift, 3 Alt, 4 Control, 5 motion, 6 wheel, 7 further buttons.
  private mutating func decode(
    _ code: Int, _ column: Int, _ row: Int, isRelease: Bool, _ events: inout [TerminalEvent]
  ) {
    guard column >= 0 && row >= 0 && code & 128 == 0 else { return }
    var modifiers: InputEvent.Modifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    let location = Point(x: Double(column), y: Double(row))
    func emit(_ kind: InputEvent.Kind) {
      events.append(.input(InputEvent(kind: kind, location: location, modifiers: modifiers)))
    }
    let button = code & 3
    if code & 64 != 0 {
      if button < 2 && !isRelease { emit(.wheel(ticks: button == 0 ? 1 : -1)) }
    } else if code & 32 != 0 {
      if button == 0 && isDown {
        emit(.mouseDrag)
      } else if button == 3 {
        // The release went somewhere else, outside the window for example.
        if isDown { emit(.mouseUp) }
        isDown = false
        emit(.mouseMove)
      }
    } else if button == 0 {
      if isRelease {
        if isDown { emit(.mouseUp) }
        isDown = false
      } else {
        if isDown { emit(.mouseUp) }
        isDown = true
        emit(.mouseDown)
      }
    }
  }
}
