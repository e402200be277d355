import Glibc

/// Where files are when nobody says (XDG Base Directory Specification).
struct DefaultPath {
  /// What a file is wanted for, which says how the lack of a home directory ends a command.
  enum Purpose {
    case reading
    case writing

    fileprivate var exitStatus: ExitStatus { self == .reading ? .noInput : .cannotCreate }
  }

  private let environment: [String: String]
  private let purpose: Purpose

  init(in environment: [String: String], for purpose: Purpose) {
    self.environment = environment
    self.purpose = purpose
  }

  /// - Throws: ``CommandFailure`` when there is no home directory.
  func store() throws(CommandFailure) -> String {
    try base(option: "--store FILE") + "/pushscope/pushscope.sqlite"
  }

  /// Where the loopback service keeps its throw-away authority.
  /// - Throws: ``CommandFailure`` when there is no home directory.
  func credentials() throws(CommandFailure) -> String {
    try base(option: "--credentials DIR") + "/pushscope/loopback"
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// A relative path in an XDG variable is to be ignored, says the specification. A home directory is never made here,
  /// unlike the directories in it.
  private func base(option: String) throws(CommandFailure) -> String {
    if let value = environment["XDG_DATA_HOME"], value.hasPrefix("/") { return value }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandFailure(
        "there is no default place for files: HOME is not set to an absolute path; give \(option), or set HOME",
        exitStatus: purpose.exitStatus)
    }
    var status = stat()
    guard stat(home, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(
        "the home directory \(home) (HOME) does not exist; give \(option), or create the directory",
        exitStatus: purpose.exitStatus)
    }
    return home + "/.local/share"
  }
}
