import Foundation

/// Where `--script` finds its text.
enum ScriptSource {
  private static let largest = 1 << 20

  /// The contents of the file of that name, or the text itself when there is none.
  static func text(_ argument: String) throws(UsageError) -> String {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: argument, isDirectory: &isDirectory) else { return argument }
    guard !isDirectory.boolValue else { throw UsageError("\(argument) is a directory, not a script") }
    guard let file = FileHandle(forReadingAtPath: argument),
      let data = try? file.read(upToCount: largest + 1)
    else { throw UsageError("\(argument) cannot be read") }
    guard data.count <= largest else { throw UsageError("\(argument) is longer than \(largest) bytes") }
    guard let text = String(data: data, encoding: .utf8) else { throw UsageError("\(argument) is not UTF-8") }
    return text
  }
}
