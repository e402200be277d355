import Foundation
import TestKit

/// A text that a file of the repository holds. `RECORD_SNAPSHOTS=1` writes it anew.
enum RecordedText {
  /// Lines in which the file differs.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter path: relative to the repository.
  static func expect(_ text: String, in path: String) throws {
    let file = URL(fileURLWithPath: Programs.repository + "/" + path)
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data(text.utf8).write(to: file)
      return
    }
    let stored = (try? String(decoding: Data(contentsOf: file), as: UTF8.self)) ?? ""
    guard stored != text else { return }
    let old = stored.components(separatedBy: "\n")
    let new = text.components(separatedBy: "\n")
    let changes = new.difference(from: old).prefix(8).map { change in
      switch change {
      case .insert(let line, let text, _): "\(line + 1)+\(text)"
      case .remove(let line, let text, _): "\(line + 1)-\(text)"
      }
    }
    throw Difference(
      description: "\(path) differs; RECORD_SNAPSHOTS=1 records it anew\n" + changes.joined(separator: "\n"))
  }
}
