import CNcurses
import ConstraintAnimation

/// The keys that terminfo knows, by ncurses' codes.
struct CursesKeys {
  /// Codes that ncurses made up for terminfo's extended names (`kUP5` is Control and Up).
  private var extended: [Int32: (InputEvent.Key, InputEvent.Modifiers)] = [:]

  /// Reads the extended names; ncurses must have its screen.
  init() {
    // They are numbered upwards from the last code of the header; a terminal has a few dozen.
    for code in KEY_MAX + 1..<KEY_MAX + 256 {
      guard let name = keyname(code), let key = CursesKeys.extendedKey(String(cString: name)) else {
        continue
      }
      extended[code] = key
    }
  }

  func key(_ code: Int32) -> (InputEvent.Key, InputEvent.Modifiers)? {
    if let plain = CursesKeys.plain[code] { return (plain, []) }
    if let shifted = CursesKeys.shifted[code] { return (shifted, .shift) }
    let number = code - cncurses_key_f(0)
    if number >= 1 && number <= 12 { return (.function(Int(number)), []) }
    // xterm's terminfo counts on: F13 is Shift and F1, F25 is Control and F1.
    if number > 12 && number <= 48 {
      return (
        .function(Int(number - 1) % 12 + 1),
        number <= 24 ? .shift : number <= 36 ? .control : [.control, .shift]
      )
    }
    return extended[code]
  }

  private static let plain: [Int32: InputEvent.Key] = [
    KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right, KEY_HOME: .home, KEY_END: .end,
    KEY_LL: .end, KEY_NPAGE: .pageDown, KEY_PPAGE: .pageUp, KEY_IC: .insert, KEY_DC: .delete,
    KEY_BACKSPACE: .backspace, KEY_ENTER: .enter, KEY_BTAB: .backTab, KEY_A1: .home, KEY_A3: .pageUp,
    KEY_C1: .end, KEY_C3: .pageDown, KEY_FIND: .home, KEY_SELECT: .end,
  ]

  private static let shifted: [Int32: InputEvent.Key] = [
    KEY_SR: .up, KEY_SF: .down, KEY_SLEFT: .left, KEY_SRIGHT: .right, KEY_SHOME: .home, KEY_SEND: .end,
    KEY_SNEXT: .pageDown, KEY_SPREVIOUS: .pageUp, KEY_SIC: .insert, KEY_SDC: .delete,
  ]

  /// `kUP5`: a name and the number that xterm sends with it; without a number it is Shift.
  static func extendedKey(_ name: String) -> (InputEvent.Key, InputEvent.Modifiers)? {
    var base = name[...]
    var modifier = 2
    if let last = base.last, let number = last.wholeNumberValue {
      guard number >= 2 else { return nil }
      modifier = number
      base = base.dropLast()
    }
    let key: InputEvent.Key
    switch base {
    case "kUP": key = .up
    case "kDN": key = .down
    case "kLFT": key = .left
    case "kRIT": key = .right
    case "kHOM": key = .home
    case "kEND": key = .end
    case "kNXT": key = .pageDown
    case "kPRV": key = .pageUp
    case "kIC": key = .insert
    case "kDC": key = .delete
    default: return nil
    }
    return (key, FunctionKeys.modifiers(modifier))
  }
}

/// The keys that xterm and its relatives send as control sequences, independent of terminfo.
enum FunctionKeys {
  /// The key of a byte after SS3 (`ESC O`): cursor keys in application mode and F1 to F4.
  static func key(singleShift byte: UInt8) -> InputEvent.Key? {
    switch byte {
    case 0x4D: .enter
    case 0x50...0x53: .function(Int(byte) - 0x4F)
    default: cursorKey(byte)
    }
  }

  /// The key of a CSI sequence. The second parameter, less one, is a mask: Shift 1, Alt 2, Control 4, Meta 8.
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
