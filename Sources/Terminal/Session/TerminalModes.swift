/// The sequences that set the terminal up and restore it.
///
/// They are constants, not taken from terminfo: they are the same in every terminal that has them, others
/// ignore them, and the restoring one must be at hand in a signal handler.
enum TerminalModes {
  /// Sets the clipboard; the text travels as Base64, so nothing of it is taken for a sequence.
  static func clipboard(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = Array(text.utf8)
    var encoded = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { encoded.append(digits[bits >> (18 - 6 * place) & 63]) }
      encoded += String(repeating: "=", count: 3 - group.count)
    }
    return "\u{1B}]52;c;\(encoded)\u{07}"
  }

  /// Switches to the alternate screen; the shell's screen is kept.
  static let alternateScreen = "\u{1B}[?1049h"

  /// No cursor, no autowrap, pasted text marked, focus reported.
  static let enter = "\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1004h"

  /// Ends all that the terminal sends by itself (mouse, focus, marked pastes, answers to questions), and asks for its status (DSR
  /// 5), whose answer comes after what was on its way.
  static let quiet = "\u{1B}[?1003l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?1006l\u{1B}[?1004l\u{1B}[?2004l\u{1B}[5n"

  /// Undoes `alternateScreen`, `enter`, mouse reporting, a frame that was cut short, and what ncurses sets
  /// for its keypad. Begins with an escape, which ends whatever sequence the terminal was in the middle of.
  ///
  /// - Parameter hasAlternateScreen: without one what was painted would stay, so it is wiped.
  static func leave(hasAlternateScreen: Bool) -> String {
    var text = "\u{1B}[?2026l\u{1B}[?1003l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?1006l"
    text += "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[r\u{1B}[m"
    if !hasAlternateScreen { text += "\u{1B}[H\u{1B}[2J" }
    text += "\u{1B}[?1l\u{1B}>\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    return text
  }

  /// Mode 1006 reports coordinates as decimal numbers, so columns beyond 223 work.
  static func mouse(_ reporting: MouseReporting) -> String {
    switch reporting {
    case .released: "\u{1B}[?1003l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?1006l"
    case .drags: "\u{1B}[?1003l\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h"
    case .motion: "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1003h\u{1B}[?1006h"
    }
  }

  /// DECRQM for synchronized output; OSC 10 and 11 for the colors. Answers come as input.
  static let questions = "\u{1B}[?2026$p\u{1B}]10;?\u{1B}\\\u{1B}]11;?\u{1B}\\"
}

/// Which pointer events the terminal reports. While any are reported, text is selected with Shift held down.
public enum MouseReporting: Int, Sendable, Hashable, CaseIterable {
  /// No events: the terminal selects and copies as usual.
  case released
  /// Presses, releases, the wheel, and motion with a button down (mode 1002).
  case drags
  /// Motion without a button too (mode 1003), for what follows the pointer.
  case motion
}
