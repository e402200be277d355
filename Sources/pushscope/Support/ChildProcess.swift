import Foundation

/// Another pushscope, started by this one for the demonstration. It ends when we do, however we end: its standard
/// input is a pipe that only we hold, and `--until-input-ends` makes it leave when that closes.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  let name: String
  let logFile: String

  /// - Parameters:
  ///   - arguments: the subcommand and its options.
  ///   - logFile: where the child's stderr goes.
  init(name: String, arguments: [String], logFile: String) throws {
    self.name = name
    self.logFile = logFile
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments + ["--until-input-ends"]
    process.standardInput = input
    process.standardOutput = output
    guard
      FileManager.default.createFile(atPath: logFile, contents: nil, attributes: [.posixPermissions: 0o600]),
      let log = FileHandle(forWritingAtPath: logFile)
    else {
      throw CommandFailure(
        "cannot write \(logFile); check the free space of its file system", exitStatus: .cannotCreate)
    }
    process.standardError = log
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// The first line the child prints: it says that it is ready.
  /// - Throws: ``CommandFailure`` with the end of its log when it stops before that.
  func firstLine() throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), let value = byte.first {
      if value == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(value)
    }
    throw CommandFailure(
      "the \(name) of the demonstration did not start: \(logTail)", exitStatus: .failed)
  }

  /// Asks it to finish in order and waits until it has.
  func finish() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Waits until it has done what it was asked to.
  func waitUntilExit() { process.waitUntilExit() }

  var exitStatus: Int32 { process.terminationStatus }

  var logTail: String {
    let log = (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? ""
    let lines = log.split(separator: "\n").suffix(3)
    return lines.isEmpty ? "its log is empty (\(logFile))" : lines.joined(separator: " / ")
  }
}
