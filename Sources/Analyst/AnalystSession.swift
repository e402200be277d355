import CLinux
import Glibc
import Logging
import Measurement
import Store
import Threads

/// A running analyst's process, as its collector has it: sends it messages, carries out what it asks for, hears what it works at,
/// and ends it when it hangs. Confined to the supervisor's thread.
final class AnalystSession {
  /// How a session came to an end.
  enum End: Equatable {
    /// It did its last round, as it was asked to.
    case finished
    /// It ended by itself, or was ended; `work`: what it was at, if that is known.
    case failed(reason: String, work: WorkWatch.Work?)
  }

  private enum Death {
    /// The collector ends it, for this reason.
    case wanted(String, WorkWatch.Work?)
  }

  /// Bytes of standard error that are kept for the report of a crash.
  private static let errorLimit = 64 * 1024
  /// How long it may keep the write-ahead log from being emptied.
  private static let longestPin = Duration.seconds(30)
  private static let pinInterval = Duration.seconds(1)
  /// How long it may run after it has closed its input.
  private static let inputClosedLimit = Duration.seconds(1)
  private static let tick: Int32 = 250
  /// Steps follow each other at once and wait for a tick at most: where the last one ended longer ago, this process stood still.
  private static let standstill = Duration.seconds(5)
  /// How much of a pipe is read before the other pipes and the clock are looked at again, in chunks of 64 kB: a process that
  /// writes without end keeps nothing waiting.
  private static let chunksAtOnce = 16
  /// Bytes queued for its input beyond which it is ended. News are few, and what it asks for is answered one by one.
  private static let mostWaiting = 2 * MessageFrame.maximumBytes
  /// Longest line of the log that is passed on whole, bytes.
  private static let longestLine = 16 * 1024
  /// Lines of a crash report that are logged each by itself.
  private static let mostErrorLines = 400

  let pid: Int32
  private let child: clinux_analyst
  /// Pipes that it has closed while it runs, which are not waited on.
  private var closed: Set<Int32> = []
  private let store: CollectorStore
  private let clock: any HostClock
  private let logger: Logger
  private let onOpen: ([OpenFindings]) -> Void
  private var watch: WorkWatch
  /// When the last step's wait ended, and what took time by itself since then.
  private var steppedAt: MonotonicTime
  /// The time from which on it was seen to keep the log from being emptied; `nil` while it does not.
  private var pinnedSince: MonotonicTime?
  private var pinDue = MonotonicTime(microseconds: 0)
  /// When it was found to have closed its input.
  private var inputClosedAt: MonotonicTime?
  private var messages = MessageBuffer()
  private var outgoing: [UInt8] = []
  private var progressText: [UInt8] = []
  private var errorText: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 64 * 1024)
  /// Whether it was asked to end.
  private(set) var isFinishing = false
  /// How it ended; `nil` while it runs.
  private var end: End?

  /// Starts the process.
  /// - Throws: `ThreadError`.
  init(
    _ command: AnalystLauncher, store: CollectorStore, clock: any HostClock, logger: Logger,
    onOpen: @escaping ([OpenFindings]) -> Void
  ) throws(ThreadError) {
    child = try command.spawn()
    pid = child.pid
    self.store = store
    self.clock = clock
    self.logger = logger
    self.onOpen = onOpen
    steppedAt = clock.monotonicNow()
    watch = WorkWatch(at: steppedAt)
  }

  /// Whether it has closed a pipe that it should write to.
  var hasClosedPipes: Bool { !closed.isEmpty }

  /// Whether a message would have to wait.
  var isBehind: Bool { !outgoing.isEmpty }

  func send(_ message: CollectorMessage) {
    if case .finish = message { isFinishing = true }
    do {
      outgoing += try MessageFrame.encode(message)
    } catch {
      logger.error("the analyst is not told: \(error)")
      guard case .reply = message else { return }
      // Whoever asked waits for an answer.
      send(
        .reply(
          .failed(
            StoreError(.ioFailure, path: store.path, detail: "\(error)", remedy: "please report it"))))
    }
  }

  /// Exchanges what there is to exchange, for a quarter of a second at most or until `wake` is raised.
  /// - Returns: how it ended; `nil` while it runs.
  func step(_ wake: WakeSignal) -> End? {
    var waiting = [
      pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: closed.contains(child.progress) ? -1 : child.progress, events: Int16(POLLIN), revents: 0),
      pollfd(fd: closed.contains(child.errors) ? -1 : child.errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: outgoing.isEmpty ? -1 : child.input, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&waiting, nfds_t(waiting.count), Self.tick)
    let now = clock.monotonicNow()
    heed(gap: now - steppedAt)
    steppedAt = now
    if waiting[4].revents != 0 { wake.clear() }
    readErrors()
    readProgress()
    switch readMessages() {
    case .goesOn: break
    case .over: return ended(nil)
    case .broken(let reason): return ended(.wanted(reason, watch.culprit))
    }
    flush()
    if outgoing.count > Self.mostWaiting {
      return ended(.wanted("it does not read what it is told", watch.culprit))
    }
    // One that crashed has closed it, too, and is known by its output a moment later.
    if let inputClosedAt, now - inputClosedAt >= Self.inputClosedLimit {
      return ended(.wanted("it has closed its input", watch.culprit))
    }
    let hung = watch.hung(at: now)
    if hung.isHung {
      return ended(.wanted("it said nothing for \(LengthText.text(WorkWatch.limit))", hung.work))
    }
    if now >= pinDue {
      pinDue = now + Self.pinInterval
      // Another reader may have kept the log before it did.
      pinnedSince = store.logPin != nil && store.logHolder == pid ? pinnedSince ?? now : nil
    }
    if let pinnedSince, now - pinnedSince >= Self.longestPin {
      return ended(
        .wanted(
          "it kept the write-ahead log from being emptied for \(LengthText.text(now - pinnedSince))",
          watch.culprit))
    }
    return nil
  }

  /// While this process was stopped, as in a frozen container, it received nothing. That mostly happens during the wait.
  private func heed(gap: Duration) {
    guard gap > Self.standstill else { return }
    watch.waited(for: gap)
    pinnedSince = pinnedSince.map { $0 + gap }
    inputClosedAt = inputClosedAt.map { $0 + gap }
  }

  /// Ends the process, whatever it does.
  func kill() { _ = ended(.wanted("", nil)) }

  // MARK: - Pipes

  /// - Returns: the bytes that are there, at most some 64 kB; `nil` at the end.
  private func readChunk(_ descriptor: Int32) -> ArraySlice<UInt8>? {
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count > 0 { return chunk[..<count] }
      return count == 0 || errno != EAGAIN ? nil : []
    }
  }

  private enum Output {
    case goesOn
    /// It has closed its output.
    case over
    /// It says what an analyst never says.
    case broken(reason: String)
  }

  private func readMessages() -> Output {
    guard let bytes = readChunk(child.output) else { return .over }
    messages.append(bytes)
    var requests = 0
    do {
      while let message = try messages.next(AnalystMessage.self) {
        switch message {
        case .request(let request):
          // All of this was written before it could have the first answer.
          requests += 1
          guard requests == 1 else { return .broken(reason: "it asked twice without waiting for the answer") }
          let start = clock.monotonicNow()
          let reply = request.perform(in: store)
          let took = clock.monotonicNow() - start
          watch.waited(for: took)
          steppedAt = steppedAt + took
          send(.reply(reply))
          flush()
        case .openFindings(let findings): onOpen(findings)
        case .line(let level, let text):
          logger.log(level: level, "\(String(decoding: text.utf8.prefix(Self.longestLine), as: UTF8.self))")
        }
      }
      return .goesOn
    } catch {
      return .broken(reason: "its message cannot be read: \(error)")
    }
  }

  private func forEachChunk(of descriptor: Int32, _ body: (ArraySlice<UInt8>) -> Void) {
    for _ in 0..<Self.chunksAtOnce {
      guard let bytes = readChunk(descriptor) else {
        closed.insert(descriptor)
        return
      }
      if bytes.isEmpty { return }
      body(bytes)
    }
  }

  private func readProgress() {
    forEachChunk(of: child.progress) { bytes in
      let now = clock.monotonicNow()
      progressText += bytes
      while let end = progressText.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: progressText[..<end], as: UTF8.self)
        if let said = ProgressLine(line[...]) { watch.record(said, at: now) }
        progressText.removeSubrange(...end)
      }
      // What is no line is nothing that this program writes.
      if progressText.count > 4096 { progressText = [] }
    }
  }

  private func readErrors() {
    forEachChunk(of: child.errors) { bytes in
      errorText += bytes.prefix(max(0, Self.errorLimit - errorText.count))
    }
  }

  private func flush() {
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EPIPE {
        outgoing = []
        inputClosedAt = inputClosedAt ?? clock.monotonicNow()
      }
      guard count > 0 else { return }
      outgoing.removeFirst(count)
    }
  }

  // MARK: - End

  /// Ends the process once: later its number and its descriptors may be another's.
  private func ended(_ death: Death?) -> End {
    let end = end ?? firstEnd(death)
    self.end = end
    return end
  }

  private func firstEnd(_ death: Death?) -> End {
    // A process that closed its output has ended or is about to.
    if death != nil { _ = Glibc.kill(pid, SIGKILL) }
    let status = wait()
    readErrors()
    readProgress()
    for descriptor in [child.input, child.output, child.progress, child.errors] { close(descriptor) }
    for line in errorText.split(separator: UInt8(ascii: "\n"), maxSplits: Self.mostErrorLines) {
      let text = String(decoding: line, as: UTF8.self)
      // It complains of threads that block its signal, as all of ours do.
      if !text.hasPrefix("swift-runtime:") { logger.error("analyst: \(EscapedText.make(text))") }
    }
    if case .wanted(let reason, let work)? = death { return .failed(reason: reason, work: work) }
    if status == 0, isFinishing { return .finished }
    let number = status & 0x7F
    let reason = number != 0 ? SignalName.text(number) : "exit code \((status >> 8) & 0xFF)"
    return .failed(reason: reason, work: watch.culprit)
  }

  /// A process that has closed its output without ending is ended after a second.
  private func wait() -> Int32 {
    var status: Int32 = 0
    for _ in 0..<100 {
      if waitpid(pid, &status, WNOHANG) == pid { return status }
      // Its report of a crash may be longer than the pipe.
      readErrors()
      usleep(10_000)
    }
    _ = Glibc.kill(pid, SIGKILL)
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status
  }
}

/// The names of the signals that end a process by a fault.
enum SignalName {
  private static let names: [Int32: String] = [
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGKILL: FailedPart.killed,
    SIGSEGV: "SIGSEGV", SIGTRAP: "SIGTRAP",
  ]

  static func text(_ number: Int32) -> String { names[number] ?? "signal \(number)" }
}
