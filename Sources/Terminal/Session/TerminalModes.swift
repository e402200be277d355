/// The strings that take the screen and give it back.
///
/// They are written by hand and not taken from terminfo: they are the same in every terminal that has them, others
/// ignore them, and the one that gives back must be ready before anything goes wrong.
enum TerminalModes {
  /// A screen of our own; the shell's stays as it is.
  static let alternateScreen = "\u{1B}[?1049h"

  /// No cursor, no autowrap, pasted text marked, focus reported.
  static let enter = "\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1004h"

  /// Undoes `alternateScreen`, `enter`, mouse reporting, a frame that was cut short, and what ncurses sets for its keypad. Begins with
  /// an escape, which ends whatever sequence the terminal was in the middle of.
  ///
  /// - Parameter hasAlternateScreen: without one what was painted would stay, so it is wiped.
  static func leave(hasAlternateScreen: Bool) -> String {
    var text = "\u{1B}[?2026l\u{1B}[?1003l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?1006l"
    text += "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[r\u{1B}[m"
    if !hasAlternateScreen { text += "\u{1B}[H\u{1B}[2J" }
    text += "\u{1B}[?1l\u{1B}>\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    return text
  }

  /// 1006 says that coordinates come as decimal numbers, beyond column 223 too.
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
