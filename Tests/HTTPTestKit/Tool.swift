import Foundation
import Synchronization

/// A program that is not ours, run to its end.
public enum Tool {
  public struct Outcome: Sendable {
    public var status: Int32
    public var output: String
    public var error: String

    /// One value for each line of JSON on standard output.
    public func jsonLines<Line: Decodable>(as type: Line.Type) throws -> [Line] {
      try output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
  }

  public struct Missing: Error, CustomStringConvertible {
    public var name: String
    public var description: String { "\(name) is not installed: `scripts/bootstrap test` gets it" }
  }

  public struct TookTooLong: Error, CustomStringConvertible {
    public var command: String
    public var error: String
    public var description: String { "\(command) did not end in time\n\(error)" }
  }

  /// Python with the packages of Tests/Support/requirements.txt.
  public static let python = ProcessInfo.processInfo.environment["PUSHSCOPE_PYTHON"] ?? "python3"

  /// Where the suite's own scripts lie.
  public static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Support").path

  /// The repository.
  public static let root = URL(fileURLWithPath: scripts).deletingLastPathComponent()
    .deletingLastPathComponent().path

  public static func find(_ name: String) throws -> String {
    if name.contains("/") { return name }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    guard
      let found = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile(atPath:))
    else { throw Missing(name: name) }
    return found
  }

  /// Runs a program; kills it when it is not done in time.
  public static func run(
    _ name: String, _ arguments: [String], input: String = "", within limit: Duration = .seconds(60)
  ) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try find(name))
    process.arguments = arguments
    let standardInput = Pipe()
    let output = Pipe()
    let error = Pipe()
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = error
    let ended = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in ended.continuation.finish() }
    try process.run()
    let pid = process.processIdentifier
    async let outputData = collect(output)
    async let errorData = collect(error)
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let isLate = Mutex(false)
    let watchdog = Task {
      try await Task.sleep(for: limit)
      isLate.withLock { $0 = true }
      kill(pid, SIGKILL)
    }
    for await _ in ended.stream {}
    watchdog.cancel()
    let errorText = String(decoding: await errorData, as: UTF8.self)
    let outputText = String(decoding: await outputData, as: UTF8.self)
    if isLate.withLock({ $0 }) {
      throw TookTooLong(command: "\(name) \(arguments.joined(separator: " "))", error: errorText)
    }
    return Outcome(status: process.terminationStatus, output: outputText, error: errorText)
  }

  /// Reads to the end on a thread of its own, so that no pool thread waits.
  private static func collect(_ pipe: Pipe) async -> Data {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: pipe.fileHandleForReading.readDataToEndOfFile()) }.start()
    }
  }
}
