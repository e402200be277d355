import Collector
import Glibc

/// Whether the dashboard could draw where this runs.
enum TerminalCheck {
  /// What the dashboard needs at least.
  private static let columns = 60
  private static let rows = 16

  static func finding(environment: [String: String]) -> DoctorFinding {
    guard isatty(STDOUT_FILENO) == 1 else {
      return DoctorFinding(
        .note, "host", "terminal", "standard output is not a terminal; the dashboard would print plain lines")
    }
    let name = environment["TERM"] ?? ""
    guard !name.isEmpty, name != "dumb" else {
      return DoctorFinding(
        .note, "host", "terminal", "TERM is not set, or is \"dumb\"",
        remedy: "set it to the terminal's name, like xterm-256color, or use dashboard --plain")
    }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return DoctorFinding(.note, "host", "terminal", "\(name), of unknown size")
    }
    guard Int(size.ws_col) >= columns, Int(size.ws_row) >= rows else {
      return DoctorFinding(
        .note, "host", "terminal", "\(name), \(size.ws_col)×\(size.ws_row) is too small for the dashboard",
        remedy: "make it \(columns)×\(rows) at least")
    }
    let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
    guard locale.lowercased().replacing("-", with: "").contains("utf8") else {
      return DoctorFinding(
        .note, "host", "terminal", "\(name), \(size.ws_col)×\(size.ws_row), but the locale is not UTF-8",
        remedy: "set LANG=C.UTF-8, or use dashboard --ascii")
    }
    return DoctorFinding(.fine, "host", "terminal", "\(name), \(size.ws_col)×\(size.ws_row), UTF-8")
  }
}
