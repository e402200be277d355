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
