import Foundation
import Glibc
import Synchronization

/// A program started by a test. Its output is collected; it is killed when the test releases it.
///
/// Uses `posix_spawn` instead of Foundation's `Process`, which considers a program running as long as a daemon that it started
/// (tmux's server) holds one of its descriptors. The program inherits no descriptor but its standard ones: a listening socket
/// of another test would keep its port taken, and the end of a pipe would keep it open, for as long as the program runs.
public final class RunningProcess: Sendable {
  /// What a program reads.
  public enum Input: Sendable {
    /// A text, often an empty one.
    case text(String)
    /// Nothing, until the process is released.
    case open
  }

  /// What is written to one descriptor, read by a thread.
  private final class Output: Sendable {
    private struct State {
      var bytes: [UInt8] = []
      var isOver = false
      var lines: [String] = []
      var lineStart = 0
    }

    private let state = Mutex(State())

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
    var isOver: Bool { state.withLock { $0.isOver } }

    var completeLines: [String] {
      state.withLock { state in
        while let end = state.bytes[state.lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
          state.lines.append(String(decoding: state.bytes[state.lineStart..<end], as: UTF8.self))
          state.lineStart = end + 1
        }
        return state.lines
      }
    }

    /// Reads to the end and closes the descriptor.
    func collect(_ descriptor: Int32) {
      Thread.detachNewThread { [self] in
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = read(descriptor, &buffer, buffer.count)
          if count < 0 && errno == EINTR { continue }
          guard count > 0 else { break }
          state.withLock { $0.bytes += buffer[..<count] }
        }
        close(descriptor)
        state.withLock { $0.isOver = true }
      }
    }
  }

  private let output = Output()
  private let error = Output()
  private let exitStatus = Mutex<Int32?>(nil)
  /// The end of its standard input that keeps it open; -1 for none.
  private let input: Int32
  public let pid: Int32

  /// - Parameters:
  ///   - program: a name, found by ``Programs/find(_:)``, or a path.
  ///   - environment: added to this process's own.
  /// - Throws: ``NeverHappened`` when it cannot be started.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], input: Input = .text("")
  ) throws {
    guard let executable = Programs.find(program) else {
      throw NeverHappened(what: "\(program) is installed; `scripts/bootstrap test` gets it")
    }
    let output = try Self.makePipe()
    let error = try Self.makePipe()
    let source = try Self.open(input)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, source.read, 0)
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_adddup2(&actions, error.write, 2)
    guard let closeFrom = Self.closeFrom, closeFrom(&actions, 3) == 0 else {
      throw NeverHappened(what: "glibc 2.34 or later, to start programs with their own descriptors only")
    }
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
    for descriptor in [source.read, output.write, error.write] { close(descriptor) }
    self.pid = pid
    self.input = source.write
    guard code == 0 else {
      for descriptor in [output.read, error.read] { close(descriptor) }
      throw NeverHappened(what: "\(executable) starts", seen: String(cString: strerror(code)))
    }
    self.output.collect(output.read)
    self.error.collect(error.read)
  }

  deinit {
    if input >= 0 { close(input) }
    guard pid > 0, status() == nil else { return }
    Glibc.kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  private typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

  /// A function of glibc 2.34 and later that Swift does not import.
  private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast($0, to: CloseFrom.self)
  }

  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw NeverHappened(what: "a pipe", seen: String(cString: strerror(errno)))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// A text comes from an unlinked file, so that nobody has to write while the program does not read.
  private static func open(_ input: Input) throws -> (read: Int32, write: Int32) {
    guard case .text(let text) = input else { return try makePipe() }
    guard let file = tmpfile() else {
      throw NeverHappened(what: "a temporary file", seen: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else {
      throw NeverHappened(what: "a temporary file is written", seen: String(cString: strerror(errno)))
    }
    rewind(file)
    return (fcntl(fileno(file), F_DUPFD_CLOEXEC, 3), -1)
  }

  public var standardOutput: String { output.text }
  public var standardError: String { error.text }
  /// The complete lines of its standard output so far.
  public var lines: [String] { output.completeLines }

  public func signal(_ number: Int32) {
    exitStatus.withLock { if $0 == nil { Glibc.kill(pid, number) } }
  }

  /// Sends a signal and waits for the end.
  /// - Returns: the exit status; 128 + n for signal n.
  @discardableResult
  public func stop(_ number: Int32 = SIGTERM) throws -> Int32 {
    signal(number)
    return try waitForExit()
  }

  /// Waits until it has written a text to its standard output.
  public func waitFor(output text: String) throws {
    try eventually("process \(pid) writes \"\(text)\"", seen: { self.standardError + self.standardOutput }) {
      standardOutput.contains(text)
    }
  }

  /// Waits until it has written a text to its standard error.
  public func waitFor(error text: String) throws {
    try eventually("process \(pid) writes \"\(text)\"", seen: { self.standardError }) {
      standardError.contains(text)
    }
  }

  /// Sends SIGKILL and waits for the end.
  public func kill() throws {
    signal(SIGKILL)
    try waitForExit()
  }

  /// The exit status once it has ended; 128 + n for signal n.
  public func status() -> Int32? {
    exitStatus.withLock { status in
      if status != nil { return status }
      var raw: Int32 = 0
      guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
      let signal = raw & 0x7F
      status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
      return status
    }
  }

  /// The exit status once it has ended and all of its output is read; a daemon that it started may write on for ever.
  func outcome() -> Int32? {
    output.isOver && error.isOver ? status() : nil
  }

  /// Waits for the end and samples its memory.
  /// - Returns: the exit status, and the largest amount of memory that was seen, in kB.
  public func waitForExitAndPeak(within limit: Duration = eventuallyLimit) throws -> (
    status: Int32, peak: Int
  ) {
    var peak = 0
    try eventually("process \(pid) ends", within: limit, seen: { self.standardError }) {
      peak = max(peak, memory ?? 0)
      return status()
    }
    return (try waitForExit(), peak)
  }

  /// The largest amount of its own resident memory so far, in kB; `nil` when it has ended. How much of the program's file is in
  /// memory beside it is the kernel's matter: what is there of files now is left out.
  private var memory: Int? {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    func figure(_ name: String) -> Int? {
      text.split(separator: "\n").first { $0.hasPrefix("\(name):") }?.split(whereSeparator: \.isWhitespace)
        .lazy
        .compactMap { Int($0) }.first
    }
    guard let peak = figure("VmHWM"), let files = figure("RssFile") else { return nil }
    return peak - files
  }

  /// Waits for the end, for a bounded time, and then for the rest of its output.
  /// - Returns: the exit status; 128 + n for signal n.
  @discardableResult
  public func waitForExit(within limit: Duration = eventuallyLimit) throws -> Int32 {
    let status = try eventually("process \(pid) ends", within: limit, seen: { self.standardError }) {
      self.status()
    }
    // A daemon that it started may hold its output open for ever.
    _ = try? eventually(within: .seconds(20)) { outcome() }
    return status
  }
}
