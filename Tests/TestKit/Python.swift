import Foundation

/// Python, for checks against code that shares nothing with this project.
public enum Python {
  /// `PUSHSCOPE_PYTHON`, or the first python3 in the PATH.
  public static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    let candidates =
      [environment["PUSHSCOPE_PYTHON"]].compactMap { $0 }
      + (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// In continuous integration nothing is skipped: tests fail where Python is missing.
  private static let isRequired = ProcessInfo.processInfo.environment["CI"] == "true"

  /// Whether tests that need Python run.
  public static let isUsable = path != nil || isRequired

  /// Whether tests that need Python packages run.
  public static func has(_ packages: String) -> Bool {
    isRequired || (try? run("import \(packages)")) != nil
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Runs a script to its end.
  /// - Parameters:
  ///   - input: if given, written to a file whose path is `sys.argv[1]`.
  ///   - arguments: the arguments that follow.
  /// - Returns: its standard output.
  /// - Throws: ``Failure`` with its standard error when it exits with another status than 0.
  public static func run(
    _ script: String, input: [UInt8]? = nil, arguments: [String] = []
  ) throws -> String {
    guard let path else { throw Failure(description: "python3 is missing") }
    let directory = try TemporaryDirectory("python")
    var files: [String] = []
    if let input {
      files = [directory.file("input")]
      try Data(input).write(to: URL(fileURLWithPath: files[0]))
    }
    let errors = directory.file("errors")
    try directory.write("errors", "")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-X", "utf8", "-c", script] + files + arguments
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "python3: " + String(decoding: try directory.bytes("errors"), as: UTF8.self))
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Starts a script that runs until its standard input ends or it is killed.
  /// - Parameter arguments: `sys.argv[1]` and the following.
  public static func start(_ script: String, arguments: [String]) throws -> (
    process: Process, input: FileHandle, output: FileHandle
  ) {
    guard let path else { throw Failure(description: "python3 is missing") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-X", "utf8", "-c", script] + arguments
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
  }
}
