import CLinux
import FoundationEssentials
import Glibc
import Logging
import Measurement
import Monitoring
import Synchronization
import Threads

/// The analyst as a process of its own: takes what the collector says from standard input, and asks it for what is to be written
/// through standard output. It may end at any moment, by a fault of its own or because the collector kills it.
public enum AnalystProcess {
  /// Descriptor on which it says what it works at.
  private static let progressDescriptor = Int32(clinux_progress_descriptor)
  private static let beatInterval: UInt32 = 5

  /// Standard input does not begin with what a collector says, but with something else or nothing.
  public struct NoCollector: Error {}

  /// Runs to the end of standard input, or until the collector asks for an end.
  /// - Parameter client: sends the webhook.
  /// - Throws: ``NoCollector``, `StoreError`, `ThreadError`.
  public static func run(client: any WebhookClient) async throws {
    clinux_report_crashes(progressDescriptor)
    let output = PipeOutput(claimStandardOutput())
    // Where memory is short, the kernel ends this process before the one that records.
    clinux_raise_oom_score(500)
    let input = MessageInput()
    guard let first = try? input.next(), case .begin(let start) = first,
      start.version == AnalystStart.currentVersion
    else { throw NoCollector() }
    let link = try AnalystLink(start, output: output)
    let parts = try AnalystParts(
      start.settings, store: link, client: client, logger: logger(output), clock: SystemClock(),
      switchedOff: start.switchedOff, progress: { part in WorkProgress { report($0, of: part) } },
      onOpen: { findings in send(.openFindings(findings), to: output) })
    for news in start.news { try parts.apply(news) }
    try DedicatedThread.start(name: "beat") {
      var memory = FreedMemory()
      while true {
        report(.beat)
        memory.giveBack(at: .nanoseconds(SystemClock().monotonicNow().nanoseconds))
        sleep(beatInterval)
      }
    }
    let finished = FirstResult<Void, Never>()
    try DedicatedThread.start(name: "collector") {
      do {
        while let message = try input.next() {
          switch message {
          case .reply(let reply): link.deliver(reply)
          case .news(let news): try parts.apply(news)
          case .finish: finished.finish()
          case .begin: break
          }
        }
      } catch {
        StandardErrorLine.write("the analyst cannot go on: \(error)")
        _exit(1)
      }
      // The collector has ended: nobody takes what this process comes to.
      _exit(0)
    }
    try parts.start()
    await finished.value()
    await parts.finish()
  }

  /// What prints to standard output must not get between the messages.
  private static func claimStandardOutput() -> Int32 {
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, progressDescriptor + 1)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    return descriptor
  }

  // MARK: - Progress

  private static func report(_ step: WorkProgress.Step, of part: CollectorPart) {
    switch step {
    case .began(let unit):
      recordWork(ProgressLine.died(part, unit: unit).text)
      report(.step(part, step))
      #if DEBUG
        InducedFault.happen(in: part, unit: unit)
      #endif
    case .goesOn: report(.step(part, step))
    case .rests:
      recordWork("")
      report(.step(part, step))
    }
  }

  private static func report(_ line: ProgressLine) {
    var text = line.text
    text.withUTF8 { _ = write(progressDescriptor, $0.baseAddress, $0.count) }
  }

  private static func recordWork(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { clinux_note_work($0.baseAddress, $0.count) }
    }
  }

  // MARK: - Log

  private static func send(_ message: AnalystMessage, to output: PipeOutput) {
    // What is too large for a message is left out.
    if let frame = try? MessageFrame.encode(message) { output.write(frame) }
  }

  private static func logger(_ output: PipeOutput) -> Logger {
    var logger = Logger(label: "analyst") { _ in
      ForwardedLog { level, text in send(.line(level: level, text: text), to: output) }
    }
    // The collector leaves out what is not severe enough.
    logger.logLevel = .debug
    return logger
  }
}

/// Passes the lines of the log on.
private struct ForwardedLog: LogHandler {
  let pass: @Sendable (Logger.Level, String) -> Void
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.debug

  init(_ pass: @escaping @Sendable (Logger.Level, String) -> Void) { self.pass = pass }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { pass(event.level, "\(event.message)") }
}

private enum StandardErrorLine {
  static func write(_ line: String) {
    (line + "\n").withCString { text in _ = Glibc.write(STDERR_FILENO, text, strlen(text)) }
  }
}

/// Reads the collector's messages from standard input; waits for them.
private final class MessageInput {
  private var buffer = MessageBuffer()
  private var chunk = [UInt8](repeating: 0, count: 64 * 1024)

  /// - Returns: `nil` at the end.
  func next() throws -> CollectorMessage? {
    while true {
      if let message = try buffer.next(CollectorMessage.self) { return message }
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      buffer.append(chunk[..<count])
    }
  }
}

#if DEBUG
  /// Faults for tests: a file, named by the environment, says `trap`, `hang` or `stop`, the part, and the unit of work at which it
  /// happens. It is read at each unit, so that a test can begin and end a fault.
  private enum InducedFault {
    private static let path = getenv("PUSHSCOPE_TEST_FAULT").map { String(cString: $0) }

    static func happen(in part: CollectorPart, unit: String) {
      guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, words[1] == part.rawValue, words[2] == unit else { continue }
        switch words[0] {
        case "trap": fatalError("a fault that a test asked for")  // wanted by a test
        case "hang": while true { sleep(1) }
        case "stop": raise(SIGSTOP)
        default: break
        }
      }
    }
  }
#endif
