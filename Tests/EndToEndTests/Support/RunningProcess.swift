import Foundation
import Synchronization

/// A program started by a test. What it writes is collected as it comes; it is killed when the test lets go of it.
final class RunningProcess: Sendable {
  private struct Output: Sendable {
    var standardOutput = Data()
    var standardError = Data()
  }

  // Process is not Sendable on Linux; it is only touched under this lock.
  private let process: Mutex<Process>
  private let output = Mutex(Output())
  private let readers = DispatchGroup()
  let pid: Int32

  init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let outputPipe = Pipe()
    let errorPipe = Pipe()
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
    collect(outputPipe.fileHandleForReading.fileDescriptor, keeping: outputPipe, into: \.standardOutput)
    collect(errorPipe.fileHandleForReading.fileDescriptor, keeping: errorPipe, into: \.standardError)
  }

  deinit { kill(pid, SIGKILL) }

  private func collect(
    _ descriptor: Int32, keeping pipe: Pipe, into part: WritableKeyPath<Output, Data> & Sendable
  ) {
    readers.enter()
    let thread = Thread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        let chunk = Data(buffer[0..<count])
        self?.output.withLock { $0[keyPath: part].append(chunk) }
      }
      withExtendedLifetime(pipe) {}
      self?.readers.leave()
    }
    thread.start()
  }

  var standardOutput: String { output.withLock { String(decoding: $0.standardOutput, as: UTF8.self) } }
  var standardError: String { output.withLock { String(decoding: $0.standardError, as: UTF8.self) } }

  func signal(_ number: Int32) { kill(pid, number) }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// Waits for the end, for a bounded time.
  /// - Returns: the exit status; 128 + n for a death by signal n.
  @discardableResult
  func waitForExit(within limit: Duration = .seconds(30)) throws -> Int32 {
    try eventually(
      within: limit, "process \(pid) ends", seen: { self.standardError },
      condition: { isRunning ? nil : true })
    _ = readers.wait(timeout: .now() + 5)
    return process.withLock {
      $0.terminationReason == .uncaughtSignal ? 128 + $0.terminationStatus : $0.terminationStatus
    }
  }
}

/// Runs a program to its end.
@discardableResult
func run(
  _ executable: String, _ arguments: [String], environment: [String: String] = [:],
  within limit: Duration = .seconds(60)
) throws -> (status: Int32, output: String, error: String) {
  let process = try RunningProcess(executable, arguments, environment: environment)
  let status = try process.waitForExit(within: limit)
  return (status, process.standardOutput, process.standardError)
}
