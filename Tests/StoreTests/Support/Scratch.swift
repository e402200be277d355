import Foundation

/// A directory of a test's own that goes with the test.
final class Scratch: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/pushscope-store-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var store: String { file("test.sqlite") }

  /// Names in the directory, in order.
  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return attributes[.posixPermissions] as? Int ?? -1
  }

  /// A copy of the store as the disk has it now, WAL included: what a kill at this moment leaves.
  func killedCopy() throws -> String {
    let copy = file("killed-\(UUID().uuidString).sqlite")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store + suffix) {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: copy + suffix)
    }
    return copy
  }
}
