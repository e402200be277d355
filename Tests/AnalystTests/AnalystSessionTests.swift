import Glibc
import Logging
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing
import Threads

@testable import Analyst

/// What a broken analyst can do to its collector: say nothing, too much, or what is no message.
@Suite("A broken analyst") struct AnalystSessionTests {
  private let fixture: StoreFixture

  init() throws {
    signal(SIGPIPE, SIG_IGN)
    fixture = try StoreFixture()
  }

  /// A session with a shell in place of the analyst: 0 is its input, 1 its output, 2 its errors and 3 its progress.
  private func session(_ script: String) throws -> AnalystSession {
    try AnalystSession(
      AnalystLauncher(environment: ["PATH": "/usr/bin:/bin"], program: "/bin/sh", arguments: ["-c", script]),
      store: fixture.store, clock: fixture.clock,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      onOpen: { _ in })
  }

  private func reason(_ end: AnalystSession.End?) -> String? {
    guard case .failed(let reason, _)? = end else { return nil }
    return reason
  }

  /// Steps it until it ends, at most for some 10 s.
  private func end(of session: AnalystSession) throws -> AnalystSession.End? {
    let wake = try WakeSignal()
    for _ in 0..<40 {
      if let end = session.step(wake) { return end }
    }
    session.kill()
    return nil
  }

  @Test("who writes errors or progress without end is ended like one that hangs", .timeLimit(.minutes(10)))
  func endless() throws {
    let wake = try WakeSignal()
    for script in ["exec 4>&1; exec yes >&2", "exec 4>&1; exec cat /dev/zero >&3"] {
      let session = try session(script)
      for _ in 0..<20 { #expect(session.step(wake) == nil) }
      // Garbage is no progress.
      var end: AnalystSession.End?
      for _ in 0..<16 where end == nil {
        fixture.clock.advance(by: .seconds(4))
        end = session.step(wake)
      }
      #expect(reason(end)?.hasPrefix("it said nothing") == true)
    }
  }

  @Test("who stood still itself for minutes blames nobody for it") func standstill() throws {
    let session = try session("exec sleep 60")
    defer { session.kill() }
    let wake = try WakeSignal()
    #expect(session.step(wake) == nil)
    fixture.clock.advance(by: .seconds(600))
    #expect(session.step(wake) == nil)
  }

  @Test(
    "one that keeps the log from being emptied is ended after 30 s, counted from when it began to keep it")
  func pin() throws {
    let reads = """
      import sqlite3, sys, time
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("BEGIN"); store.execute("SELECT count(*) FROM run").fetchone()
      open(sys.argv[2], "w").close()
      time.sleep(300)
      """
    let script = try fixture.directory.write("reads.py", reads)
    let begun = fixture.directory.file("begun")
    let session = try session("exec \(Programs.python) \(script) \(fixture.store.path) \(begun)")
    defer { session.kill() }
    try eventually("it reads") { access(begun, F_OK) == 0 ? true : nil }
    let text = String(repeating: "x", count: 6_000)
    try fixture.commit(
      log: (0..<1_000).map { _ in
        LogLine(at: fixture.clock.wallNow(), level: .info, label: "l", message: text)
      })
    #expect(fixture.store.logPin != nil && fixture.store.logHolder == session.pid)
    // For so long somebody else kept it.
    fixture.clock.advance(by: .seconds(120))
    let wake = try WakeSignal()
    // Less than a standstill at a time.
    for _ in 0..<8 {
      #expect(session.step(wake) == nil)
      fixture.clock.advance(by: .seconds(4))
    }
    #expect(reason(session.step(wake)) == "it kept the write-ahead log from being emptied for 32 s")
  }

  @Test("one that closes its input while it runs is ended") func closedInput() throws {
    let session = try session("exec 0<&-; exec sleep 60")
    session.send(.finish)
    let wake = try WakeSignal()
    // The shell takes what is sent until it closes its input.
    let end = try eventually("the session ends") {
      session.send(.finish)
      fixture.clock.advance(by: .milliseconds(2))
      return session.step(wake)
    }
    #expect(reason(end) == "it has closed its input")
  }

  @Test("a pipe that is closed early is not waited on in a loop") func closed() throws {
    let session = try session("exec 2>&- 3>&-; exec sleep 60")
    defer { session.kill() }
    let wake = try WakeSignal()
    let clock = SystemClock()
    while !session.hasClosedPipes, session.step(wake) == nil {}
    let start = clock.monotonicNow()
    for _ in 0..<3 { #expect(session.step(wake) == nil) }
    #expect(clock.monotonicNow() - start > .milliseconds(400))
  }

  @Test("what has the numbers of an ended one's pipes is left alone") func endsOnce() throws {
    let session = try session("exec true")
    _ = try end(of: session)
    let descriptors = (0..<16).map { _ in open("/dev/null", O_RDONLY) }
    session.kill()
    for descriptor in descriptors { #expect(close(descriptor) == 0) }
  }

  @Test("one that asks again before it was answered is ended") func twice() throws {
    let frame = try MessageFrame.encode(AnalystMessage.request(.resetDetectors))
    let file = try fixture.directory.write("frames", frame + frame)
    let session = try session("cat \(file); exec sleep 60")
    #expect(reason(try end(of: session))?.hasPrefix("it asked twice") == true)
  }

  @Test(
    "one whose output is no message is ended, at once",
    arguments: [#"\377\377\377\377"#, #"\002\000\000\000[}"#])
  func garbage(bytes: String) throws {
    let session = try session("printf '\(bytes)'; exec sleep 60")
    #expect(reason(try end(of: session))?.hasPrefix("its message cannot be read") == true)
  }

  @Test("one that does not read is ended before what waits for it fills the memory") func deaf() throws {
    let session = try session("exec sleep 60")
    for _ in 0..<6 { session.send(.news(.url(String(repeating: "x", count: 4 << 20)))) }
    #expect(reason(try end(of: session)) == "it does not read what it is told")
  }

  @Test("nesting without end is an error", arguments: ["[", "{\"a\":"]) func nesting(open: String) throws {
    let bytes = Array(String(repeating: open, count: 1_000_000).utf8)
    #expect(throws: (any Error).self) { try MessageFrame.decode(bytes[...]) as AnalystMessage }
  }
}
