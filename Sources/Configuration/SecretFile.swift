import Glibc
import Measurement

/// A file with a secret, represented by its path until the secret is needed.
public struct SecretFile: Sendable, Hashable, Codable {
  public let path: String
  /// Whether the service manager made the file (systemd's `LoadCredential=`). Such a file belongs to root and its directory
  /// is closed to others, so that its mode says nothing.
  public let isServiceCredential: Bool

  /// Limit of the file size.
  static let maximumBytes = 64 * 1024

  public init(path: String, isServiceCredential: Bool = false) {
    self.path = path
    self.isServiceCredential = isServiceCredential
  }

  /// Whether only the credential's name is known, in a check by hand: the service manager gives the file to the unit alone.
  public var isUnread: Bool { isServiceCredential && !path.hasPrefix("/") }

  /// Reads the secret without trailing white space and byte order mark, which editors and `echo` add.
  ///
  /// - Throws: also when others may read the file (``SecretAccess``), checked on the open file so that it cannot be replaced
  ///   in between.
  public func read() throws(FileReadError) -> [UInt8] {
    let file = try ReadFile(path: path, maximumBytes: Self.maximumBytes, isSecret: !isServiceCredential)
    let bytes = KeyText.withoutMark(file.bytes)
    let end = bytes.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let end else { throw FileReadError(code: .empty, path: path) }
    return Array(bytes[...end])
  }
}

/// Source of a secret: a file or an environment variable.
public enum SecretReference: Sendable, Hashable, Codable, CustomStringConvertible {
  case file(SecretFile)
  /// Value of `${NAME}`; a configuration never contains the secret itself.
  case text(Secret)

  /// The secret without trailing white space.
  public func read() throws(FileReadError) -> [UInt8] {
    switch self {
    case .file(let file): return try file.read()
    case .text(let secret):
      let bytes = KeyText.withoutMark(Array(secret.exposed.utf8))
      let end = bytes.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      return end.map { Array(bytes[...$0]) } ?? []
    }
  }

  /// The key in the configuration: `name` or `name_file`.
  public func key(_ name: String) -> String {
    switch self {
    case .file: name + "_file"
    case .text: name
    }
  }

  /// Source of the secret, for messages.
  public var description: String {
    switch self {
    case .file(let file): "\"\(file.path.visiblePath)\""
    case .text: "the text from the environment"
    }
  }
}

/// A text that must never be printed, logged, stored or exported; its description is `(hidden)`. It is encoded only for a process
/// of its own, through a pipe.
public struct Secret: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The text, for code that sends it or computes with it.
  public let exposed: String

  public init(_ text: String) { exposed = text }

  public var description: String { "(hidden)" }
  public var debugDescription: String { "(hidden)" }
}

extension Secret: CustomReflectable {
  /// Hides the text from `dump` and the interpolation of enclosing values.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Reads a regular file of limited size.
struct ReadFile {
  let bytes: [UInt8]

  /// - Parameter isSecret: refuse a file to which others have access (``SecretAccess``).
  init(path: String, maximumBytes: Int, isSecret: Bool = false) throws(FileReadError) {
    // Non-blocking, so that a FIFO is refused without a wait.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno, path) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      throw FileReadError(code: kind == S_IFDIR ? .isDirectory : .notRegular, path: path)
    }
    if isSecret, let problem = SecretAccess(descriptor, status).problem {
      throw FileReadError(code: problem, path: path)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(errno, path) }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else {
        throw FileReadError(code: .tooLarge(maximumBytes: maximumBytes), path: path)
      }
    }
    self.bytes = bytes
  }

  private static func failure(_ number: Int32, _ path: String) -> FileReadError {
    switch number {
    case ENOENT, ENOTDIR: FileReadError(code: .missing, path: path)
    case EACCES, EPERM: FileReadError(code: .permissionDenied, path: path)
    default: FileReadError(code: .system(errno: number), path: path)
    }
  }
}

/// A small file that is not secret, like a certificate.
public struct PlainFile: Sendable, Hashable {
  public let path: String
  private let maximumBytes: Int

  public init(path: String, maximumBytes: Int = 64 * 1024) {
    self.path = path
    self.maximumBytes = maximumBytes
  }

  /// Reads all of it, but for a byte order mark; larger files are an error.
  public func read() throws(FileReadError) -> [UInt8] {
    KeyText.withoutMark(try ReadFile(path: path, maximumBytes: maximumBytes).bytes)
  }
}

/// Why a file could not be read.
public struct FileReadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What stood in the way.
  public enum Code: Sendable, Hashable {
    case missing
    case isDirectory
    case notRegular
    case permissionDenied
    case tooLarge(maximumBytes: Int)
    /// Others than the owner may read it; `mode`: permission bits.
    case exposed(mode: UInt32)
    /// A group may read it, and others can put another file in its place.
    case replaceable
    case empty
    case system(errno: Int32)
  }

  public let code: Code
  public let path: String

  public var message: String {
    let file = "\"\(path.visiblePath)\""
    return code == .missing ? "there is no file \(file)" : "\(file) \(problem)"
  }

  /// What is wrong with the file, as a predicate.
  var problem: String {
    switch code {
    case .missing: "does not exist"
    case .isDirectory: "is a directory"
    case .notRegular: "is not a regular file"
    case .permissionDenied: "is not readable by this user"
    case .tooLarge(let maximum): "is larger than \(maximum) bytes"
    case .exposed(let mode): "contains a secret, but others may read it (mode \(String(mode, radix: 8)))"
    case .replaceable: "contains a secret that a group may read, and others can write to its directory"
    case .empty: "is empty"
    case .system(let number): "cannot be read: \(String(cString: strerror(number)))"
    }
  }

  public var remedy: String {
    switch code {
    case .missing: "create it or correct the path (relative paths start at the configuration file)"
    case .isDirectory, .notRegular, .tooLarge: "name another file"
    case .permissionDenied: "give this user read permission"
    case .exposed:
      "run: chmod 600 \(EscapedText.make(path)); where a container's volume has the mode, set its defaultMode to 0400, or to 0440 "
        + "with root as the owner and a group of this process (fsGroup)"
    case .replaceable: "mount the volume read-only, or take the others' right to write from the directory"
    case .empty: "write the content into it"
    case .system: "check the file system"
    }
  }

  public var description: String { "\(message); \(remedy)" }
}
