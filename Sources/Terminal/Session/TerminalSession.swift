import CNcurses
public import ConstraintAnimation
import Glibc
import Measurement

/// Takes over the terminal and restores it.
///
/// One thread owns a session: it makes it, waits in `nextEvents`, paints with `present` and ends it with
/// `restore()`. Other threads only use its `waker`. Whatever ends the process, short of SIGKILL, restores the terminal
/// first: `restore()`, `exit`, a crash, Ctrl-\. A process has at most one session at a time.
public final class TerminalSession {
  /// How the terminal is used.
  public struct Options: Sendable {
    /// Overrides for colors and glyphs.
    public var overrides = TerminalCapabilities.Overrides()
    public var mouse = MouseReporting.motion
    /// SIGINT, SIGTERM and SIGHUP become events. False where another part of the process listens for them and
    /// sees to it that `restore()` is called.
    public var catchesEndSignals = true
    /// Overrides TERM, for terminals that set a wrong one.
    public var terminalName: String?
    /// How long leaving waits for what the terminal has sent before it learned that it is to send nothing more.
    var mostDrain = Duration.milliseconds(300)

    public init() {}
  }

  public private(set) var capabilities: TerminalCapabilities
  public private(set) var columns: Int
  public private(set) var rows: Int
  public private(set) var mouseReporting: MouseReporting
  /// The background color that the terminal reports; `nil` until it answers, and where it never does.
  public private(set) var reportedBackground: Color?
  public private(set) var reportedForeground: Color?
  /// False once the terminal has been restored, by this session or by a signal handler.
  public var isActive: Bool { cncurses_guard_is_armed() }
  public let waker: TerminalWaker
  public var statistics: FrameStatistics { sink.statistics }

  private let terminal: TerminalDescriptor
  private let curses: CursesScreen
  private let signals: SignalInbox
  private let sink: FrameSink
  private let writer: DiffWriter
  private let clock = ContinuousClock()

  private var input = TerminalInput()
  private var queue: [TerminalEvent] = []
  private var wantsWritable = false
  private var isEnded = false
  /// Ctrl-Z was typed: the kernel would have stopped everybody in the foreground.
  private var suspendsWholeGroup = false
  private let mostDrain: Duration

  /// - Parameter environment: TERM and what `TerminalCapabilities` reads.
  /// - Throws: when standard input or output is no terminal, TERM is none that can be painted on, or the system
  ///   refuses; the terminal is then as it was.
  public convenience init(environment: [String: String], options: Options = Options()) throws(TerminalError) {
    try self.init(environment: environment, options: options, input: STDIN_FILENO, output: STDOUT_FILENO)
  }

  /// Opens a session on any terminal, such as a pseudo-terminal, for tests.
  init(environment: [String: String], options: Options, input: Int32, output: Int32) throws(TerminalError) {
    let name = try TerminalSession.suitableName(options.terminalName ?? environment["TERM"])
    let terminal = try TerminalDescriptor(input: input, output: output)
    waker = try TerminalWaker()
    mostDrain = options.mostDrain
    var environment = environment
    environment["TERM"] = name
    // Before anything is changed: from here on every way out gives back what was.
    let leaving = TerminalModes.leave(
      hasAlternateScreen: TerminalKind(environment: environment).hasAlternateScreen)
    guard leaving.withCString({ cncurses_guard_arm(terminal.painting, $0, leaving.utf8.count) }) == 0 else {
      throw .system("cannot read the terminal's modes")
    }
    do {
      // Before ncurses looks: it catches the signals that nobody has caught.
      signals = try SignalInbox(includesEnd: options.catchesEndSignals)
      curses = try CursesScreen(terminal: name, input: terminal.input, output: terminal.output)
    } catch {
      cncurses_guard_restore()
      throw error
    }
    capabilities = TerminalCapabilities(
      environment: environment, codeset: Codeset.ofEnvironment(), terminfoColors: curses.terminfoColors,
      overrides: options.overrides)
    (columns, rows) = terminal.size
    mouseReporting = capabilities.reportsMouse ? options.mouse : .released
    sink = FrameSink(descriptor: terminal.painting)
    writer = DiffWriter(columns: columns, rows: rows, profile: capabilities.outputProfile)
    self.terminal = terminal
    enter(isFirst: true)
  }

  deinit { restore() }

  private static func suitableName(_ name: String?) throws(TerminalError) -> String {
    let remedy = "set TERM to what the terminal is, xterm-256color for most"
    guard let name, !name.isEmpty else {
      throw TerminalError(.unsuitableTerminal, "TERM is not set", remedy: remedy)
    }
    if ["dumb", "none", "unknown", "emacs"].contains(name) || name.utf8.count > 128 {
      throw TerminalError(
        .unsuitableTerminal, "TERM=\(EscapedText.make(String(name.prefix(40)))) cannot place its cursor",
        remedy: remedy)
    }
    return name
  }

  // MARK: - Painting

  /// Shows a buffer: writes what differs from what is shown, in one piece.
  ///
  /// - Parameters:
  ///   - buffer: as large as the session says; another size paints what fits in the terminal's corner.
  ///   - cursor: where text is typed; `nil` for no cursor.
  ///   - changed: the only cells that may differ from the last buffer that was not skipped; `nil` where that is not known.
  public func present(
    _ buffer: CellBuffer, cursor: CursorPosition? = nil, changed: CellRegion? = nil
  ) -> FrameOutcome {
    guard isActive, !input.isHungUp else { return .failed }
    let outcome = sink.present(buffer, cursor: cursor, changed: changed, writer: writer)
    wantsWritable = outcome == .skipped || sink.hasPending
    return outcome
  }

  /// Has the next frame repaint everything, as after Ctrl-L: another program may have written to the screen.
  public func invalidate() { writer.invalidate() }

  /// Turns mouse reporting on, or off so that the terminal selects and copies text.
  public func setMouseReporting(_ reporting: MouseReporting) {
    guard isActive, capabilities.reportsMouse else { return }
    mouseReporting = reporting
    send(TerminalModes.mouse(reporting))
  }

  /// Asks the terminal to put a text on its clipboard (OSC 52). Terminals that do not know it, or do not allow it, ignore it.
  public func copy(_ text: String) {
    guard isActive else { return }
    send(TerminalModes.clipboard(text))
  }

  // MARK: - Waiting

  /// Waits for events and returns them in order; of successive motion events only the last.
  ///
  /// - Parameters:
  ///   - deadline: when to return without any; `nil` waits without limit.
  ///   - hearsWaker: whether the waker ends the wait, too; otherwise it is heard the next time.
  /// - Returns: empty at the deadline, and when a frame that was skipped can be presented again.
  public func nextEvents(
    deadline: ContinuousClock.Instant?, hearsWaker: Bool = true
  ) -> [TerminalEvent] {
    while true {
      let isDue = wait(until: deadline, hearsWaker: hearsWaker || deadline == nil)
      if !queue.isEmpty {
        defer { queue.removeAll(keepingCapacity: true) }
        return EventCoalescer.coalesce(queue)
      }
      if isDue { return [] }
    }
  }

  /// - Returns: whether to return even without events.
  private func wait(until deadline: ContinuousClock.Instant?, hearsWaker: Bool) -> Bool {
    // A negative descriptor is left out.
    var polls = [
      pollfd(fd: input.isHungUp ? -1 : terminal.input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: hearsWaker ? waker.descriptor : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wantsWritable ? terminal.painting : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let unfinished = input.deadline
    let limit = input.hasMore || !queue.isEmpty ? clock.now : deadline
    poll(&polls, until: [limit, unfinished].compactMap { $0 }.min())
    let now = clock.now
    let isOver = deadline.map { now >= $0 } ?? false
    if polls[0].revents == 0, !input.hasMore, let unfinished, now >= unfinished {
      input.endUnfinished()
      collect()
    }
    if polls[1].revents != 0 { readSignals() }
    if polls[2].revents != 0 {
      waker.clear()
      queue.append(.wake)
    }
    if polls[0].revents != 0 || input.hasMore {
      if !input.read(terminal, curses, polls[0].revents) { queue.append(.hangup) }
      collect()
    }
    if polls[3].revents != 0 {
      if isActive { sink.flush() } else { sink.abandon() }
      wantsWritable = sink.hasPending
      return !wantsWritable || isOver
    }
    return isOver
  }

  private func poll(_ polls: inout [pollfd], until limit: ContinuousClock.Instant?) {
    guard let remaining = limit.map({ max(clock.now.duration(to: $0), .zero) }) else {
      _ = cncurses_poll(&polls, UInt(polls.count), -1)
      return
    }
    // A day at most: the product below must not overflow.
    let nanoseconds = Int64(min(remaining, .seconds(86_400)) / .nanoseconds(1))
    _ = cncurses_poll(&polls, UInt(polls.count), nanoseconds)
  }

  private func readSignals() {
    var isResized = false
    for signal in signals.drain() {
      switch signal {
      case SIGWINCH: isResized = true
      case SIGTSTP:
        suspendsWholeGroup = false
        queue.append(.suspend)
      case SIGCONT: enterAgain()
      case SIGINT: queue.append(.interrupt)
      default: queue.append(.terminate(signal: signal))
      }
    }
    if isResized { readSize() }
  }

  private func readSize() {
    let size = terminal.size
    (columns, rows) = size
    curses.resize(columns: columns, rows: rows)
    writer.invalidate()
    queue.append(.resize(columns: size.columns, rows: size.rows))
  }

  private func collect() {
    for event in input.drainEvents() {
      if event == .suspend { suspendsWholeGroup = true }
      if event == .input(InputEvent(kind: .key(.character("l")), modifiers: .control)) { writer.invalidate() }
      queue.append(event)
    }
    for report in input.drainReports() {
      switch report {
      case .mode(2026, let setting):
        let works = (1...3).contains(setting)
        capabilities.synchronizedOutput = works ? .supported : .unsupported
        writer.profile.synchronizesOutput = works
      case .mode, .status: break
      case .background(let color):
        reportedBackground = color
        queue.append(.background(color))
      case .foreground(let color): reportedForeground = color
      }
    }
  }

  // MARK: - Coming and going

  /// Restores the terminal, stops the process as Ctrl-Z does, and takes the terminal over again when it continues. The
  /// answer to `TerminalEvent.suspend`; `resumed` follows.
  public func suspend() {
    guard isActive else { return }
    leave()
    signals.stopProcess(wholeGroup: suspendsWholeGroup)
    suspendsWholeGroup = false
    // SIGCONT waits in the pipe and would do the same again.
    for signal in signals.drain() where signal != SIGCONT && signal != SIGWINCH && signal != SIGTSTP {
      queue.append(signal == SIGINT ? .interrupt : .terminate(signal: signal))
    }
    enterAgain()
  }

  /// Restores the terminal's modes and screen. Safe to call more than once.
  public func restore() {
    guard !isEnded else { return }
    isEnded = true
    if isActive {
      leave()
    }
  }

  /// Bytes of an unfinished frame must not reach the shell's screen.
  private func leave() {
    let isReading = sink.abandon()
    if isReading { drain() }
    // ncurses waits without limit for a terminal that does not read; the guard does not.
    if isEnded, isReading { curses.end() }
    cncurses_guard_restore()
  }

  /// Has the terminal send nothing more, and reads what was on its way by then: a shell would take it for what was typed. Over a slow
  /// line that is what comes before the answer. A process in the background may not read.
  private func drain() {
    let foreground = tcgetpgrp(terminal.input)
    guard mostDrain > .zero, !input.isHungUp, foreground < 0 || foreground == getpgrp() else { return }
    send(TerminalModes.quiet)
    let end = clock.now + mostDrain
    while clock.now < end {
      var polls = [pollfd(fd: terminal.input, events: Int16(POLLIN), revents: 0)]
      poll(&polls, until: end)
      guard polls[0].revents != 0 else { continue }
      if terminal.availableBytes == 0 || input.discard(curses) { return }
    }
  }

  /// The first time ncurses has switched to the alternate screen, where terminfo describes one.
  private func enter(isFirst: Bool) {
    if !isFirst || !curses.hasEnteredAlternateScreen { send(TerminalModes.alternateScreen) }
    send(TerminalModes.enter + TerminalModes.mouse(mouseReporting))
    if isFirst && capabilities.synchronizedOutput != .unsupported { send(TerminalModes.questions) }
  }

  private func enterAgain() {
    guard !isEnded else { return }
    cncurses_guard_rearm()
    curses.resume()
    enter(isFirst: false)
    writer.invalidate()
    let size = terminal.size
    if size != (columns, rows) { readSize() }
    queue.append(.resumed)
  }

  private func send(_ text: String) {
    var text = text
    text.withUTF8 { sink.send(UnsafeRawBufferPointer($0)) }
  }
}

/// Why a session could not be made, with a remedy.
public struct TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Why the terminal cannot be used.
  public enum Code: Sendable, Hashable {
    /// Standard input or output is a file or a pipe.
    case notATerminal
    /// TERM is unset or names a terminal without cursor addressing.
    case unsuitableTerminal
    /// terminfo has an entry neither for the terminal nor for xterm.
    case unknownTerminal
    /// A system call failed.
    case system(errno: Int32)
  }

  public let code: Code
  /// What is wrong and where: one line without a full stop.
  public let message: String
  /// What to do: one line.
  public let remedy: String

  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// `standard output is not a terminal; run it in a terminal window`
  public var description: String { "\(message); \(remedy)" }

  /// Two errors are the same when their codes are.
  public static func == (left: TerminalError, right: TerminalError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
