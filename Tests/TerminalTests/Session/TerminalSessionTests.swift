import ConstraintAnimation
import Glibc
import TestTraits
import Testing

@testable import Terminal

/// One session at a time: ncurses, signals and the guard belong to the process.
@Suite("A session on a pseudo-terminal", .ownThread, .serialized, .timeLimit(.minutes(10)))
struct TerminalSessionTests {
  private let pty: PseudoTerminal

  init() throws { pty = try PseudoTerminal(columns: 60, rows: 10) }

  /// - Parameter drain: how long leaving waits for an answer, which no test gives by itself.
  private func session(
    _ environment: [String: String] = [:], drain: Duration = .zero
  ) throws -> TerminalSession {
    var options = TerminalSession.Options()
    options.catchesEndSignals = false
    options.mostDrain = drain
    let environment = ["TERM": "xterm-256color", "LANG": "C.UTF-8"].merging(environment) { $1 }
    return try TerminalSession(
      environment: environment, options: options, input: pty.terminal, output: pty.terminal)
  }

  private func model() -> ModelTerminal { ModelTerminal(columns: 60, rows: 10) }

  /// Events up to the one that is wanted; the deadline is far beyond any machine's pace.
  private func events(_ session: TerminalSession, until isLast: (TerminalEvent) -> Bool) -> [TerminalEvent] {
    var events: [TerminalEvent] = []
    let deadline = ContinuousClock.now + .seconds(20)
    while !events.contains(where: isLast) && ContinuousClock.now < deadline {
      events += session.nextEvents(deadline: deadline)
    }
    return events
  }

  private static func key(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = []) -> TerminalEvent {
    .input(InputEvent(kind: .key(key), modifiers: modifiers))
  }

  @Test("takes the terminal and gives it back as it was")
  func lifecycle() throws {
    let before = pty.modes
    var model = model()
    let session = try session()
    model.feed(pty.output())
    #expect(model.mistakes.isEmpty)
    #expect(model.modes == [1, 1000, 1002, 1003, 1004, 1006, 1049, 2004])
    #expect(pty.modes != before)
    #expect(session.isActive && session.columns == 60 && session.rows == 10)

    session.restore()
    session.restore()
    model.feed(pty.output())
    #expect(model.modes == [7, 25])
    #expect(!model.isApplicationKeypad)
    #expect(pty.modes == before)
    #expect(!session.isActive)
    #expect(session.present(CellBuffer(columns: 60, rows: 10)) == .failed)
    #expect(pty.output().isEmpty)
  }

  @Test("whoever forgets to restore gives it back all the same")
  func forgotten() throws {
    let before = pty.modes
    do { _ = try session() }
    var model = model()
    model.feed(pty.output())
    #expect(model.modes == [7, 25])
    #expect(pty.modes == before)
  }

  @Test("paints, then nothing until something changes")
  func painting() throws {
    let session = try session()
    var model = model()
    model.feed(pty.output())
    let buffer = CellBuffer(columns: 60, rows: 10)
    buffer.write("median 812 ms", x: 3, y: 4, style: CellStyle(foreground: Color(255, 0, 0)))
    guard case .written = session.present(buffer) else {
      Issue.record("not written")
      return
    }
    model.feed(pty.output())
    #expect(Expectation.difference(between: buffer, and: model, colors: session.capabilities.colors) == nil)
    #expect(session.present(buffer) == .unchanged)
    #expect(pty.output().isEmpty)
    #expect(session.statistics.frames == 2 && session.statistics.lastFrameBytes == 0)
    session.invalidate()
    #expect(session.present(buffer) != .unchanged)
    session.restore()
  }

  @Test("keys, the pointer and pasted text arrive in order")
  func input() throws {
    let session = try session()
    pty.type("a\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}xé\u{1B}[15~")
    pty.type("\u{1B}[<0;5;6M\u{1B}[<32;6;6M\u{1B}[<32;7;6M\u{1B}[<0;7;6m")
    pty.type("\u{1B}[200~paste\rq\u{1B}[201~\u{1B}[I.")
    let key = TerminalSessionTests.key
    func pointer(_ kind: InputEvent.Kind, _ x: Double) -> TerminalEvent {
      .input(InputEvent(kind: kind, location: Point(x: x, y: 5)))
    }
    #expect(
      events(session) { $0 == key(.character("."), []) } == [
        key(.character("a"), []), key(.up, []), key(.down, []), key(.right, .control),
        key(.character("x"), .alt),
        key(.character("é"), []), key(.function(5), []), pointer(.mouseDown, 4), pointer(.mouseDrag, 6),
        pointer(.mouseUp, 6), .paste("paste\nq"), .input(InputEvent(kind: .focusGained)),
        key(.character("."), []),
      ])
    session.restore()
  }

  @Test("a flood is taken in turns, and nothing of it is left lying")
  func flood() throws {
    let session = try session()
    // The last key's second byte is read ahead by ncurses, just where the first turn ends.
    pty.type(String(repeating: "a", count: 1023) + "\u{1B}q")
    let last = TerminalSessionTests.key(.character("q"), .alt)
    let all = events(session) { $0 == last }
    #expect(all.count == 1024 && all.last == last)
    session.restore()
  }

  @Test("escape alone is a key, soon")
  func escape() throws {
    let session = try session()
    pty.type("\u{1B}")
    #expect(events(session) { _ in true } == [TerminalSessionTests.key(.escape)])
    session.restore()
  }

  @Test("a sequence whose parts come apart is one, though frames are due in between")
  func apart() throws {
    let session = try session()
    pty.type("\u{1B}[20")
    for _ in 0..<6 { #expect(session.nextEvents(deadline: .now + .milliseconds(10)).isEmpty) }
    pty.type("0~q\u{1B}[201~")
    #expect(events(session) { _ in true } == [.paste("q")])
    session.restore()
  }

  /// What a shell would read now.
  private func left() -> String {
    var modes = termios()
    tcgetattr(pty.terminal, &modes)
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(pty.terminal, TCSANOW, &modes)
    _ = fcntl(pty.terminal, F_SETFL, O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(pty.terminal, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  @Test("what was on its way is read before the terminal is given back, and what was typed after it is left")
  func drain() throws {
    let session = try session(drain: .seconds(20))
    _ = pty.output()
    pty.type("\u{1B}[<35;46;12M\u{1B}[<35;47;12M\u{1B}]11;rgb:0/0/0\u{7}\u{1B}[0nls\n")
    session.restore()
    var model = model()
    let output = pty.output()
    model.feed(output)
    let text = String(decoding: output, as: UTF8.self)
    let (mouse, question) = (text.firstRange(of: "\u{1B}[?1003l"), text.firstRange(of: "\u{1B}[5n"))
    #expect(try #require(mouse).upperBound <= #require(question).lowerBound)
    #expect(left() == "ls\n")
  }

  @Test("a terminal that answers nothing is waited for no longer than that")
  func drainWithoutAnswer() throws {
    let session = try session(drain: .milliseconds(60))
    pty.type("\u{1B}[<35;46;12M")
    session.restore()
    #expect(left() == "" && !session.isActive)
  }

  @Test("control keys that mean something to everybody")
  func controlKeys() throws {
    let session = try session()
    pty.type([0x03, 0x1A, 0x0D, 0x7F, 0x09, 0x01])
    let key = TerminalSessionTests.key
    #expect(
      events(session) { $0 == key(.character("a"), .control) } == [
        .interrupt, .suspend, key(.enter, []), key(.backspace, []), key(.tab, []),
        key(.character("a"), .control),
      ])
    session.restore()
  }

  @Test("answers of the terminal are heard")
  func answers() throws {
    let session = try session()
    let questions = String(decoding: pty.output(), as: UTF8.self)
    #expect(questions.contains("\u{1B}[?2026$p") && questions.contains("\u{1B}]11;?"))
    #expect(session.capabilities.synchronizedOutput == .ask)
    pty.type("\u{1B}[?2026;2$y\u{1B}]10;rgb:c/c/c\u{7}\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{1B}\\")
    #expect(events(session) { _ in true } == [.background(Color(0x1E, 0x1E, 0x2E))])
    #expect(session.reportedForeground == Color(204, 204, 204))
    let buffer = CellBuffer(columns: 60, rows: 10)
    _ = session.present(buffer)
    let frame = String(decoding: pty.output(), as: UTF8.self)
    #expect(frame.hasPrefix("\u{1B}[?2026h") && frame.hasSuffix("\u{1B}[?2026l"))
    session.restore()
  }

  @Test("a resize is one event, and paints everything")
  func resize() throws {
    let session = try session()
    _ = pty.output()
    let buffer = CellBuffer(columns: 60, rows: 10)
    _ = session.present(buffer)
    pty.resize(columns: 40, rows: 12)
    kill(getpid(), SIGWINCH)
    kill(getpid(), SIGWINCH)
    #expect(events(session) { _ in true } == [.resize(columns: 40, rows: 12)])
    // The second one may be delivered late, and would reach the session of the next test.
    var pending = sigset_t()
    repeat {
      sigpending(&pending)
      _ = session.nextEvents(deadline: .now + .milliseconds(20))
    } while sigismember(&pending, SIGWINCH) == 1
    #expect(session.columns == 40 && session.rows == 12)
    _ = pty.output()
    buffer.resize(columns: 40, rows: 12)
    buffer.write("x", x: 39, y: 11, style: .plain)
    _ = session.present(buffer)
    var model = ModelTerminal(columns: 40, rows: 12)
    model.feed("\u{1B}[?7l".utf8)
    model.feed(pty.output())
    #expect(Expectation.difference(between: buffer, and: model, colors: session.capabilities.colors) == nil)
    session.restore()
  }

  @Test("wakes from another thread count once")
  func wake() async throws {
    let session = try session()
    let waker = session.waker
    let others = (0..<4).map { _ in Task.detached { for _ in 0..<5_000 { waker.wake() } } }
    for other in others { await other.value }
    #expect(session.nextEvents(deadline: .now + .milliseconds(5), hearsWaker: false).isEmpty)
    #expect(session.nextEvents(deadline: nil) == [.wake])
    #expect(session.nextEvents(deadline: .now).isEmpty)
    session.restore()
  }

  @Test("the mouse is released and taken again")
  func mouse() throws {
    let session = try session()
    var model = model()
    session.setMouseReporting(.released)
    model.feed(pty.output())
    #expect(model.modes.isDisjoint(with: [1000, 1002, 1003, 1006]))
    session.setMouseReporting(.drags)
    model.feed(pty.output())
    #expect(model.modes.isSuperset(of: [1000, 1002, 1006]) && !model.modes.contains(1003))
    session.restore()
  }

  @Test("a terminal that does not read is not waited for")
  func backPressure() throws {
    let session = try session()
    let buffer = CellBuffer(columns: 60, rows: 10)
    var outcomes: [FrameOutcome] = []
    // Nobody reads the other end: after some kilobytes the kernel takes no more.
    for frame in 0..<400 {
      buffer.fill(buffer.bounds, glyph: Unicode.Scalar(UInt8(0x41 + frame % 26)), style: .plain)
      outcomes.append(session.present(buffer))
    }
    #expect(outcomes.contains(.skipped))
    #expect(session.statistics.skippedFrames > 0)
    // The reader comes back; what was cut in the middle goes on where it was.
    var model = model()
    model.feed("\u{1B}[?7l".utf8)
    var seen = pty.output()
    while session.present(buffer) != .unchanged {
      _ = session.nextEvents(deadline: .now + .seconds(1))
      seen += pty.output()
    }
    seen += pty.output()
    model.feed(seen)
    #expect(Expectation.difference(between: buffer, and: model, colors: session.capabilities.colors) == nil)
    session.restore()
  }

  @Test("Ctrl-L paints everything again")
  func redraw() throws {
    let session = try session()
    let buffer = CellBuffer(columns: 60, rows: 10)
    _ = session.present(buffer)
    _ = pty.output()
    pty.type([0x0C])
    #expect(events(session) { _ in true } == [TerminalSessionTests.key(.character("l"), .control)])
    #expect(session.present(buffer) != .unchanged)
    session.restore()
  }

  @Test("a terminal that goes away is said once, and costs nothing afterwards")
  func hangup() throws {
    let other = try PseudoTerminal()
    let copy = dup(other.terminal)
    defer { close(copy) }
    var options = TerminalSession.Options()
    options.catchesEndSignals = false
    var session: TerminalSession? = try TerminalSession(
      environment: ["TERM": "xterm"], options: options, input: copy, output: copy)
    other.hangUp()
    #expect(session?.nextEvents(deadline: nil) == [.hangup])
    #expect(session?.nextEvents(deadline: .now + .milliseconds(10)) == [])
    #expect(session?.present(CellBuffer(columns: 80, rows: 24)) == .failed)
    session = nil
  }

  @Test(
    "a terminal unknown to terminfo works like xterm",
    arguments: ["xterm-kitty", "alacritty", "foot", "wezterm"])
  func unknownToTerminfo(name: String) throws {
    let session = try session(["TERM": name])
    #expect(session.capabilities.colors == .trueColor)
    pty.type("\u{1B}[Hx")
    let key = TerminalSessionTests.key
    #expect(events(session) { $0 == key(.character("x"), []) } == [key(.home, []), key(.character("x"), [])])
    session.restore()
  }

  @Test("refuses what cannot be painted on, and says what to do", arguments: ["dumb", "none", "", "unknown"])
  func unsuitable(name: String) throws {
    let before = pty.modes
    let error = #expect(throws: TerminalError.self) { try session(["TERM": name]) }
    #expect(error?.code == .unsuitableTerminal)
    #expect(error?.remedy.contains("TERM") ?? false)
    #expect(pty.modes == before && pty.output().isEmpty)
  }

  @Test("refuses a pipe")
  func noTerminal() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let error = #expect(throws: TerminalError.self) {
      try TerminalSession(
        environment: ["TERM": "xterm"], options: .init(), input: pty.terminal, output: ends[1])
    }
    #expect(error?.code == .notATerminal)
    #expect(error?.description == "standard output is not a terminal; run it in a terminal window")
  }
}
