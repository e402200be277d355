import Glibc
import Measurement
import Store
import Synchronization
import Terminal
import Threads

/// The dashboard as lines of text: one per second during a run, a summary at its end.
struct PlainDashboard {
  let settings: DashboardSettings
  let stop: DashboardStop
  var output: Int32 = STDOUT_FILENO
  /// Time between two reports; `nil` for that of the options.
  var interval: Duration?

  /// Bytes that a pipe takes without blocking when it can be written to (PIPE_BUF).
  private static let atOnce = 4_096

  func run() throws(DashboardError) -> Dashboard.Outcome {
    let wake: WakeSignal
    do { wake = try WakeSignal() } catch { throw DashboardError(error) }
    stop.onStop { wake.raise() }
    defer { stop.onStop(nil) }
    let signals = EndSignals(raising: wake, catchesEnd: settings.options.catchesSignals)
    let options = settings.options
    var source = SnapshotSource(
      place: options.place, subject: settings.subject, clock: options.clock, bootID: settings.bootID)
    var snapshot = Snapshot()
    var figures: WindowFigures?
    var isStopping: Bool { signals.haveCome || stop.isStopped }
    func emit(_ line: String) -> Bool { write(line, wake, isStopping: { isStopping }) }
    var ended: Dashboard.Outcome { isStopping ? .stopped : .hangup }
    var isFirst = true
    var replacements = 0
    var interruption: Interruption?
    while !isStopping {
      let from = options.clock.wallNow() - .seconds(PlainLine.seconds + 30)
      if let newer = source.poll(ReadRequest(from: from, to: nil, tick: .seconds(1))) { snapshot = newer }
      if snapshot.condition == .ready, snapshot.replacements != replacements {
        replacements = snapshot.replacements
        guard emit("another store has taken the place of the one that was shown: \(shownPath)") else {
          return ended
        }
      }
      if let failure = snapshot.interruption, failure != interruption, !emit(failure.text) { return ended }
      interruption = snapshot.interruption
      switch snapshot.condition {
      case .ready:
        figures = source.figures(PlainLine.order(of: snapshot)) ?? figures
        if !(snapshot.run?.isLive ?? false) { return try summarize(snapshot, emit) ? .quit : ended }
        let report = PlainText.wrapped(
          PlainLine(snapshot: snapshot, figures: figures, zone: settings.zone).text)
        guard report.allSatisfy(emit) else { return ended }
        if options.plainOnce { return .quit }
      case .empty, .opening:
        if isFirst, !emit("waiting for the first run in \(shownPath)") { return ended }
        if options.plainOnce, snapshot.condition == .empty { return .quit }
      // Temporary read errors are ignored after the first successful read.
      case .locked where !isFirst, .unreadable where !isFirst: break
      default: throw failure(snapshot.condition)
      }
      isFirst = false
      wake.wait(atMost: interval ?? options.plainInterval)
    }
    return .stopped
  }

  private var shownPath: String { EscapedText.make(settings.options.place.name) }

  private func summarize(_ snapshot: Snapshot, _ emit: (String) -> Bool) throws(DashboardError) -> Bool {
    guard snapshot.run != nil else { return true }
    let lines: [String]
    do {
      let reader = try settings.options.place.open()
      defer { reader.close() }
      lines = try PlainSummary(reader, snapshot: snapshot, zone: settings.zone).lines
    } catch {
      throw failure(StoreCondition(error))
    }
    return lines.flatMap { PlainText.wrapped($0) }.allSatisfy(emit)
  }

  private func failure(_ condition: StoreCondition) -> DashboardError {
    let notice = NoticeModel(condition: condition, place: settings.options.place)
    let code: DashboardError.Code
    switch condition {
    case .noSuchRun, .noSuchTarget: code = .notFound
    default: code = .unreadableStore
    }
    // Notices are sentences for a screen; errors are clauses.
    func clause(_ text: String?) -> String {
      guard var text else { return "" }
      while text.hasSuffix(".") { text.removeLast() }
      return text.loweredFirst
    }
    return DashboardError(code: code, message: clause(notice?.body.first), remedy: clause(notice?.body.last))
  }

  /// Writes a line; blocks while the pipe is full.
  /// - Returns: `false` when the reader is gone or the dashboard is to end.
  private func write(_ line: String, _ wake: WakeSignal, isStopping: () -> Bool) -> Bool {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      // A reader that does not read must not delay a signal.
      while !wake.wait(for: output, events: Int16(POLLOUT)) {
        if isStopping() { return false }
      }
      if isStopping() { return false }
      let count = rest.prefix(Self.atOnce).withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// Catches SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE so that `write` fails instead, for the lifetime of this value.
struct EndSignals: ~Copyable {
  private static let caught = [SIGINT, SIGTERM, SIGHUP]
  private static let hasCome = Atomic<Bool>(false)
  /// Descriptor that the handler writes to.
  private static let descriptor = Atomic<Int32>(-1)

  private var replaced: [(signal: Int32, action: sigaction)] = []

  /// - Parameter wake: raised when a signal comes.
  init(raising wake: WakeSignal, catchesEnd: Bool) {
    Self.hasCome.store(false, ordering: .relaxed)
    Self.descriptor.store(wake.descriptor, ordering: .relaxed)
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    install(ignoring, for: SIGPIPE)
    guard catchesEnd else { return }
    var action = sigaction()
    // Async-signal-safe: two atomics and a write.
    action.__sigaction_handler.sa_handler = { _ in
      EndSignals.hasCome.store(true, ordering: .relaxed)
      WakeSignal.raise(EndSignals.descriptor.load(ordering: .relaxed))
    }
    for signal in Self.caught { install(action, for: signal) }
  }

  private mutating func install(_ action: sigaction, for signal: Int32) {
    var action = action
    var before = sigaction()
    if sigaction(signal, &action, &before) == 0 { replaced.append((signal, before)) }
  }

  /// Whether a signal has come.
  var haveCome: Bool { Self.hasCome.load(ordering: .relaxed) }

  deinit {
    for entry in replaced {
      var before = entry.action
      sigaction(entry.signal, &before, nil)
    }
  }
}
