import ArgumentParser
import Configuration
import FoundationEssentials
import Glibc
import Measurement
import Store

/// `--store FILE`, for every command that uses a store.
struct StoreOption: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store file.",
      discussion:
        "Default: $XDG_DATA_HOME/pushscope/pushscope.sqlite, or ~/.local/share/pushscope/pushscope.sqlite. Where there is none, "
        + "what reads or changes an existing one takes the service's, /var/lib/pushscope/pushscope.sqlite.",
      valueName: "file"))
  var file: String?

  func validate() throws {
    guard let file, file.isEmpty else { return }
    throw ValidationError("--store is empty; name the store's file, or leave --store out for the usual one")
  }

  /// - Throws: ``CommandFailure`` without --store and a home directory.
  func path(for purpose: DefaultPath.Purpose) throws(CommandFailure) -> String {
    if let file { return file }
    let own = Result { () throws(CommandFailure) in
      try DefaultPath(in: ProcessEnvironment.all, for: purpose).store()
    }
    guard purpose != .writing, !((try? own.get()).map(DefaultPath.exists) ?? false) else {
      return try own.get()
    }
    switch DefaultPath.serviceStore {
    case .readable: return DefaultPath.servicePath
    case .closed:
      throw CommandFailure(
        "there is no store of your own, and \(DefaultPath.servicePath) may be read by its group only; ask for a place in the "
          + "group pushscope (adduser NAME pushscope, and log in again), or name a file with --store",
        exitStatus: .noInput)
    case .missing: return try own.get()
    }
  }

  /// Opens the store for reading, also before something is written to it.
  /// - Throws: ``CommandFailure``, `StoreError`.
  func reader(for purpose: DefaultPath.Purpose = .reading) throws -> StoreReader {
    let path = try path(for: purpose)
    return try purpose == .reading ? Self.reader(at: path) : StoreReader.open(at: path)
  }

  /// Opens a store to read. A store without read permission is missing input here; for a writer, it cannot be created.
  static func reader(at path: String) throws -> StoreReader {
    do {
      return try StoreReader.open(at: path)
    } catch let error as StoreError where [.permissionDenied, .readOnly, .unusablePath].contains(error.code) {
      throw CommandFailure("\(error)", exitStatus: .noInput)
    }
  }
}

/// `--config FILE`, for every command that needs the configuration.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The configuration file.",
      discussion:
        "Default: $XDG_CONFIG_HOME/pushscope/pushscope.yaml (~/.config/pushscope/pushscope.yaml if the variable is not "
        + "set), then /etc/pushscope/pushscope.yaml.",
      valueName: "file"))
  var file: String?

  func validate() throws {
    guard let file, file.isEmpty else { return }
    throw ValidationError(
      "--config is empty; name the configuration's file, or leave --config out for the usual one")
  }

  /// The named file, else the first default that exists, else `nil`.
  var existingPath: String? {
    file
      ?? PushscopeConfiguration.defaultPaths(environment: ProcessEnvironment.all).first(
        where: DefaultPath.exists)
  }

  /// The file to read.
  /// - Throws: ``CommandFailure`` with every place that was searched.
  func path() throws(CommandFailure) -> String {
    if let existingPath { return existingPath }
    let searched = PushscopeConfiguration.defaultPaths(environment: ProcessEnvironment.all)
    throw CommandFailure(
      "there is no configuration file at \(ListText.or(searched)); create "
        + "\(searched.count == 1 ? "it" : "one of them"), or name a file with --config", exitStatus: .noInput)
  }
}

/// Default locations of files (XDG Base Directory Specification).
struct DefaultPath {
  /// What a file is for, which decides the exit code without a home directory.
  enum Purpose {
    case reading
    /// Something in a store that exists.
    case changing
    /// What may be made first.
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

  /// The directory of the loopback service's generated certificates.
  /// - Throws: ``CommandFailure`` when there is no home directory.
  func credentials() throws(CommandFailure) -> String {
    try base(option: "--credentials DIR") + "/pushscope/loopback"
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The store of the system's service.
  static let servicePath = "/var/lib/pushscope/pushscope.sqlite"

  /// Whether this user can read the service's store.
  enum ServiceStore { case readable, closed, missing }

  static var serviceStore: ServiceStore {
    if access(servicePath, R_OK) == 0 { return .readable }
    // Without the right to pass through the directory nobody is told what is in it.
    return errno == EACCES ? .closed : .missing
  }

  /// The specification ignores relative paths in XDG variables. A missing home directory is never created.
  private func base(option: String) throws(CommandFailure) -> String {
    if let value = environment["XDG_DATA_HOME"], value.hasPrefix("/") { return value }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandFailure(
        "there is no default location for files: HOME is not set to an absolute path; give \(option), or set HOME",
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

/// The environment this process was started with.
enum ProcessEnvironment {
  static var all: [String: String] { ProcessInfo.processInfo.environment }
}
