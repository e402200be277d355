import Foundation

/// scipy, where it is installed: a second opinion on statistics.
enum Oracle {
  private static let python = ProcessInfo.processInfo.environment["PUSHSCOPE_PYTHON"] ?? "python3"

  /// Skipped where it is missing, but not in continuous integration.
  static let hasScipy =
    ProcessInfo.processInfo.environment["CI"] == "true" || (try? run("import scipy", input: [])) != nil

  struct Failure: Error {}

  /// What a script prints that gets `input` as JSON on its standard input.
  static func run(_ script: String, input: [[Double]]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python, "-c", script]
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = FileHandle.nullDevice
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(input))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure() }
    return output
  }
}
