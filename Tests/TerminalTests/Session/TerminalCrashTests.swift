import ConstraintAnimation
import Foundation
import Glibc
import TestTraits
import Testing

@testable import Terminal

/// Each ending happens in a process of its own, on a terminal that the test holds.
@Suite("However the process ends, the terminal is given back", .ownThread, .timeLimit(.minutes(10)))
struct TerminalCrashTests {
  private let pty: PseudoTerminal
  private let before: [UInt32]

  init() throws {
    pty = try PseudoTerminal(columns: 60, rows: 10)
    before = pty.modes
  }

  private func expectGivenBack() {
    var model = ModelTerminal(columns: 60, rows: 10)
    let output = pty.output()
    #expect(String(decoding: output, as: UTF8.self).contains("\u{1B}[?1006h"), "the session had begun")
    model.feed(output)
    #expect(model.modes == [7, 25])
    #expect(!model.isApplicationKeypad)
    #expect(pty.modes == before)
  }

  /// In the child: a session that is in the middle of a frame.
  static func begin(_ path: String) throws -> TerminalSession {
    // A shell that tests in the background has its children ignore SIGQUIT.
    Glibc.signal(SIGQUIT, SIG_DFL)
    let terminal = open(path, O_RDWR | O_NOCTTY)
    var options = TerminalSession.Options()
    options.catchesEndSignals = false
    let session = try TerminalSession(
      environment: ["TERM": "xterm-256color"], options: options, input: terminal, output: terminal)
    let buffer = CellBuffer(columns: 60, rows: 10)
    buffer.write("here", x: 0, y: 0, style: .plain)
    _ = session.present(buffer)
    return session
  }

  @Test(
    "a signal that ends it",
    arguments: [
      SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGXCPU, SIGVTALRM, SIGPROF, SIGUSR1,
      SIGALRM,
    ])
  func signal(number: Int32) async throws {
    let path = pty.path
    let result = await #expect(processExitsWith: .failure) {
      [path = path as String, number = number as Int32] in
      let session = try TerminalCrashTests.begin(path)
      withExtendedLifetime(session) { _ = raise(number) }
    }
    // Not by our own exit: whoever waits for the process learns the truth.
    #expect(result?.exitStatus == .signal(number))
    expectGivenBack()
  }

  @Test("a broken promise in Swift")
  func trap() async {
    let path = pty.path
    await #expect(processExitsWith: .failure) { [path = path as String] in
      let session = try TerminalCrashTests.begin(path)
      withExtendedLifetime(session) { preconditionFailure("as a bug would") }
    }
    expectGivenBack()
  }

  @Test("a crash leaves at once, without a report that nobody asked for")
  func report() async {
    let path = pty.path
    let clock = ContinuousClock()
    let start = clock.now
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      unsetenv("SWIFT_BACKTRACE")
      // The runtime's handler is there before us, as it is in a terminal.
      var handler = sigaction()
      handler.__sigaction_handler.sa_handler = { _ in
        while true { pause() }
      }
      sigaction(SIGSEGV, &handler, nil)
      let session = try TerminalCrashTests.begin(path)
      withExtendedLifetime(session) { _ = raise(SIGSEGV) }
    }
    #expect(result?.exitStatus == .signal(SIGSEGV))
    #expect(clock.now - start < .seconds(60))
    let output = String(decoding: pty.output(), as: UTF8.self)
    #expect(output.contains("SWIFT_BACKTRACE") && pty.modes == before)
  }

  @Test("a terminal that does not read")
  func deaf() async {
    let path = pty.path
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      // Ends a process that waits for the terminal.
      alarm(60)
      Glibc.signal(SIGALRM, SIG_DFL)
      let session = try TerminalCrashTests.begin(path)
      let buffer = CellBuffer(columns: 60, rows: 10)
      var frame = 0
      while true {
        for row in 0..<10 {
          buffer.write(String(repeating: "\(frame % 10)", count: 60), x: 0, y: row, style: .plain)
        }
        frame += 1
        if session.present(buffer) == .skipped { break }
      }
      session.restore()
      Glibc.exit(session.isActive ? 1 : 7)
    }
    #expect(pty.modes == before)
  }

  @Test("exit, from anywhere")
  func exit() async {
    let path = pty.path
    await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
      let session = try TerminalCrashTests.begin(path)
      await Task.detached { () -> Void in Glibc.exit(3) }.value
      withExtendedLifetime(session) {}
    }
    expectGivenBack()
  }

  @Test("a stop gives the terminal back, going on takes it again")
  func suspend() async {
    let path = pty.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      // In a session of its own nobody could make it go on: such a process is not stopped, and goes on at once.
      _ = setsid()
      let session = try TerminalCrashTests.begin(path)
      session.suspend()
      #expect(session.isActive)
      #expect(session.nextEvents(deadline: .now) == [.resumed])
      Glibc.exit(session.present(CellBuffer(columns: 60, rows: 10)) == .unchanged ? 1 : 0)
    }
    let output = String(decoding: pty.output(), as: UTF8.self)
    let leaving = TerminalModes.leave(hasAlternateScreen: true)
    let visits = output.components(separatedBy: leaving)
    #expect(visits.count == 3, "given back twice")
    var model = ModelTerminal(columns: 60, rows: 10)
    for visit in visits.dropLast() {
      // Leaving by itself waits for what is on its way, exit does not.
      let parts = visit.components(separatedBy: TerminalModes.quiet)
      model.feed(parts[0].utf8)
      #expect(model.modes.isSuperset(of: [1006, 1049, 2004]) && !model.modes.contains(25))
      model.feed(leaving.utf8)
      #expect(model.modes == [7, 25])
    }
    #expect(pty.modes == before)
  }

  @Test("an endless recursion")
  func overflow() async {
    let path = pty.path
    await #expect(processExitsWith: .failure) { [path = path as String] in
      let session = try TerminalCrashTests.begin(path)
      func sink(_ depth: Int) -> Int { depth == .max ? 0 : sink(depth + 1) ^ depth }
      withExtendedLifetime(session) { Glibc.exit(Int32(truncatingIfNeeded: sink(0)) & 1) }
    }
    expectGivenBack()
  }
}
