import Foundation

/// An empty directory, readable by its owner only, that is removed when the test releases it, and at the latest when the
/// test process exits.
public final class TemporaryDirectory: Sendable {
  public let path: String

  /// Holds the directories of this process. Others may pass through it, for tests that run as another user.
  private static let root: String = {
    atexit { try? FileManager.default.removeItem(atPath: TemporaryDirectory.root) }
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("pushscope-tests-\(ProcessInfo.processInfo.processIdentifier)").path
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o711])
    return path
  }()

  /// - Parameter name: the beginning of the directory's name.
  public init(_ name: String = "test") throws {
    path = "\(Self.root)/\(name)-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public var url: URL { URL(fileURLWithPath: path) }

  /// The names of the files and directories in it, sorted.
  public var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }

  /// The path of a file in it.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes or replaces a file and creates the directories above it.
  /// - Returns: the file's path.
  @discardableResult
  public func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    try write(name, Array(text.utf8), mode: mode)
  }

  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
    let target = file(name)
    let manager = FileManager.default
    let parent = URL(fileURLWithPath: target).deletingLastPathComponent().path
    try manager.createDirectory(atPath: parent, withIntermediateDirectories: true)
    // Whoever reads it meanwhile finds all of it, with its permissions.
    let new = "\(target).\(UUID().uuidString)"
    guard manager.createFile(atPath: new, contents: Data(bytes), attributes: [.posixPermissions: mode]),
      rename(new, target) == 0
    else { throw NeverHappened(what: "\(target) is written", seen: String(cString: strerror(errno))) }
    return target
  }

  public func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }

  /// The permission bits of a file.
  public func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return attributes[.posixPermissions] as? Int ?? -1
  }
}
