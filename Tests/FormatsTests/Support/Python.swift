import Foundation

/// Python as a reader that shares no code with us.
enum Python {
  /// The interpreter that the Makefile prepared, or the first on the PATH.
  static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    let candidates =
      [environment["PUSHSCOPE_PYTHON"]].compactMap { $0 }
      + (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Where it is missing its tests are skipped, but not on a machine whose word counts.
  static let isUsable = path != nil || ProcessInfo.processInfo.environment["CI"] == "true"

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What the script prints, on either stream, given `input` as the file `sys.argv[1]`.
  static func run(_ script: String, input: [UInt8]) throws -> String {
    guard let path else { throw Failure(description: "python3 is missing") }
    let file = FileManager.default.temporaryDirectory.path + "/pushscope-python-" + UUID().uuidString
    try Data(input).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-X", "utf8", "-c", script, file]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else { throw Failure(description: "python3: \(text)") }
    return text
  }
}
