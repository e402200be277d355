import Foundation

/// Where this room's tests write: one folder, which goes when the process ends.
enum TestFolder {
  private static let all: URL = {
    atexit { try? FileManager.default.removeItem(at: TestFolder.all) }
    return FileManager.default.temporaryDirectory
      .appendingPathComponent("pushscope-tests-\(ProcessInfo.processInfo.processIdentifier)")
  }()

  /// Makes a folder of its own.
  /// - Parameter name: for people who look into it.
  static func make(_ name: String) throws -> URL {
    let folder = all.appendingPathComponent("\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
