import ConstraintAnimationTestKit
import Foundation

/// Screens as text files beside the tests. `RECORD_SNAPSHOTS=1` writes them anew.
enum Snapshot {
  static func require(_ text: String, named name: String) throws {
    let file = directory.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      return
    }
    let expected = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    if let difference = LayoutDescription.difference(expected: expected, found: text) {
      throw Mismatch(title: "\(name) differs; RECORD_SNAPSHOTS=1 records it anew", difference: difference)
    }
  }

  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Snapshots")
}
