import Foundation

/// An empty directory that is removed when the test lets go of it.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "pushscope-test-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    return file(name)
  }
}
