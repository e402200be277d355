import Foundation
import Glibc
import Synchronization
import TestKit

/// A program started by a test. Its output is collected; it is killed when the test releases it.
///
/// Uses `posix_spawn` instead of Foundation's `Process`, which considers a program running as long as a daemon that it started
/// (tmux's server) holds one of its descriptors.
final class RunningProcess: Sendable {
  private struct State {
    var output = [UInt8]()
    var error = [UInt8]()
    var status: Int32?
  }

  private let state = Mutex(State())
  private let readers = DispatchGroup()
  let pid: Int32

  init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let outputPipe = try Self.makePipe()
    let errorPipe = try Self.makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, outputPipe.write, 1)
    posix_spawn_file_actions_adddup2(&actions, errorPipe.write, 2)
    // The threads that run tests block most signals; the child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, executable, &actions, &attributes, &argv, &envp)
    close(outputPipe.write)
    close(errorPipe.write)
    guard code == 0 else {
      close(outputPipe.read)
      close(errorPipe.read)
      throw NeverHappened(what: "\(executable) starts", seen: String(cString: strerror(code)))
    }
    self.pid = pid
    collect(outputPipe.read) { $0.output += $1 }
    collect(errorPipe.read) { $0.error += $1 }
  }

  deinit {
    guard status() == nil else { return }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  /// Neither end is inherited by programs that are not given it.
  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw NeverHappened(what: "a pipe", seen: String(cString: strerror(errno)))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private func collect(
    _ descriptor: Int32, into keep: @escaping @Sendable (inout State, ArraySlice<UInt8>) -> Void
  ) {
    readers.enter()
    Thread.detachNewThread { [weak self, readers] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        self?.state.withLock { keep(&$0, buffer[..<count]) }
      }
      close(descriptor)
      readers.leave()
    }
  }

  var standardOutput: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  var standardError: String { state.withLock { String(decoding: $0.error, as: UTF8.self) } }

  func signal(_ number: Int32) { kill(pid, number) }

  /// The exit status once it has ended; 128 + n for signal n.
  private func status() -> Int32? {
    state.withLock { state in
      if let status = state.status { return status }
      var raw: Int32 = 0
      guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
      let signal = raw & 0x7F
      state.status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
      return state.status
    }
  }

  /// Waits for the end and samples its memory.
  /// - Returns: the exit status, and the peak resident memory in kB.
  func waitForExitAndPeak(within limit: Duration = .seconds(120)) throws -> (status: Int32, peak: Int) {
    var peak = 0
    try eventually("process \(pid) ends", within: limit, seen: { self.standardError }) {
      peak = max(peak, peakMemory ?? 0)
      return status()
    }
    return (try waitForExit(), peak)
  }

  /// Its peak resident memory so far, in kB; `nil` when it has ended. The figure of wait4 would include the memory of the
  /// process that started it.
  var peakMemory: Int? {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).lazy.compactMap { Int($0) }.first
  }

  /// Waits for the end, for a bounded time.
  /// - Returns: the exit status; 128 + n for signal n.
  @discardableResult
  func waitForExit(within limit: Duration = .seconds(60)) throws -> Int32 {
    let status = try eventually("process \(pid) ends", within: limit, seen: { self.standardError }) {
      self.status()
    }
    _ = readers.wait(timeout: .now() + 5)
    return status
  }
}

/// Runs a program to its end.
@discardableResult
func run(
  _ executable: String, _ arguments: [String], environment: [String: String] = [:],
  within limit: Duration = .seconds(120)
) throws -> (status: Int32, output: String, error: String) {
  guard let path = Programs.find(executable) else {
    throw NeverHappened(what: "\(executable) is installed", seen: "")
  }
  let process = try RunningProcess(path, arguments, environment: environment)
  let status = try process.waitForExit(within: limit)
  return (status, process.standardOutput, process.standardError)
}
