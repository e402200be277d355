import Foundation

/// Python as a reader that shares no code with us.
public enum Python {
  /// The interpreter that the Makefile prepared, or the first on the PATH.
  public static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    let candidates =
      [environment["PUSHSCOPE_PYTHON"]].compactMap { $0 }
      + (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Where it is missing its tests are skipped, but not on a machine whose word counts.
  public static let isUsable = path != nil || ProcessInfo.processInfo.environment["CI"] == "true"

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// What the script prints, on either stream.
  /// - Parameters:
  ///   - input: written to a file whose path is `sys.argv[1]`.
  ///   - arguments: `sys.argv[2]` and on.
  public static func run(_ script: String, input: [UInt8] = [], arguments: [String] = []) throws -> String {
    guard let path else { throw Failure(description: "python3 is missing") }
    let file = FileManager.default.temporaryDirectory.path + "/pushscope-python-" + UUID().uuidString
    try Data(input).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-X", "utf8", "-c", script, file] + arguments
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

  /// Whether a package can be imported; on a machine whose word counts it must be.
  public static func has(_ package: String) -> Bool {
    if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
    return (try? run("import \(package)")) != nil
  }
}
