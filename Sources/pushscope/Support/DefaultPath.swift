import Glibc

/// Where files are when nobody says (XDG Base Directory Specification).
enum DefaultPath {
  static func store(in environment: [String: String]) -> String {
    base("XDG_DATA_HOME", fallback: ".local/share", in: environment) + "/pushscope/pushscope.sqlite"
  }

  /// Where the loopback service keeps its throw-away authority.
  static func credentials(in environment: [String: String]) -> String {
    base("XDG_DATA_HOME", fallback: ".local/share", in: environment) + "/pushscope/loopback"
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// A relative path in an XDG variable is to be ignored, says the specification.
  private static func base(_ variable: String, fallback: String, in environment: [String: String]) -> String {
    if let value = environment[variable], value.hasPrefix("/") { return value }
    return (environment["HOME"] ?? "/") + "/" + fallback
  }
}
