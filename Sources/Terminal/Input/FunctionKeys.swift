import ConstraintAnimation

/// The keys that xterm and its kin send as control sequences, whatever terminfo says.
enum FunctionKeys {
  /// After SS3 (`ESC O`): cursor keys in application mode and F1 to F4.
  static func key(singleShift byte: UInt8) -> InputEvent.Key? {
    switch byte {
    case 0x4D: .enter
    case 0x50...0x53: .function(Int(byte) - 0x4F)
    default: cursorKey(byte)
    }
  }

  /// After CSI. The second parameter, less one, is a mask: Shift 1, Alt 2, Control 4, Meta 8.
  static func key(final: UInt8, parameters: [Int]) -> (InputEvent.Key, InputEvent.Modifiers)? {
    let modifiers = modifiers(parameters.count > 1 ? parameters[1] : 1)
    switch final {
    case 0x7E: return editingKey(parameters.first ?? 0).map { ($0, modifiers) }
    case 0x5E: return editingKey(parameters.first ?? 0).map { ($0, .control) }
    case 0x5A: return (.backTab, modifiers.subtracting(.shift))
    case 0x61...0x64: return cursorKey(final - 0x20).map { ($0, .shift) }
    // `CSI row ; column R` is also where the cursor is: only what can be F3 is taken for it.
    case 0x50...0x53 where parameters.first ?? 1 == 1 && parameters.count < 3:
      return (.function(Int(final) - 0x4F), modifiers)
    default: return cursorKey(final).map { ($0, modifiers) }
    }
  }

  static func modifiers(_ parameter: Int) -> InputEvent.Modifiers {
    let mask = max(parameter, 1) - 1
    var modifiers: InputEvent.Modifiers = []
    if mask & 1 != 0 { modifiers.insert(.shift) }
    if mask & (2 | 8) != 0 { modifiers.insert(.alt) }
    if mask & 4 != 0 { modifiers.insert(.control) }
    return modifiers
  }

  private static func cursorKey(_ byte: UInt8) -> InputEvent.Key? {
    switch byte {
    case 0x41: .up
    case 0x42: .down
    case 0x43: .right
    case 0x44: .left
    case 0x46: .end
    case 0x48: .home
    default: nil
    }
  }

  private static func editingKey(_ number: Int) -> InputEvent.Key? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }
}
