import Foundation

/// Python as a reader and a process that share no code with us.
enum Python {
  /// The interpreter that the Makefile prepared, or the first on the PATH.
  static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    let candidates =
      [environment["PUSHSCOPE_PYTHON"]].compactMap { $0 }
      + (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  static let isUsable = path != nil

  struct Failure: Error {
    var status: Int32
    var output: String
  }

  /// Starts a script with arguments; the caller reads its output and ends it.
  static func start(_ script: String, _ arguments: [String]) throws -> (
    process: Process, input: FileHandle, output: FileHandle
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path ?? "/usr/bin/python3")
    process.arguments = ["-X", "utf8", "-c", script] + arguments
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
  }

  /// Runs a script to its end.
  /// - Returns: what it printed.
  static func run(_ script: String, _ arguments: [String]) throws -> Data {
    let (process, input, output) = try start(script, arguments)
    try input.close()
    let data = try output.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }
    return data
  }

  /// The rows of a query, read by Python's sqlite3; every value as text, NULL as nil.
  static func query(_ sql: String, of store: String) throws -> [[String?]] {
    let data = try run(
      """
      import json, sqlite3, sys
      connection = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
      rows = [[None if v is None else str(v) for v in row] for row in connection.execute(sys.argv[2])]
      json.dump(rows, sys.stdout)
      """, [store, sql])
    return try JSONDecoder().decode([[String?]].self, from: data)
  }
}
