import Analysis
import Formats
import Glibc
import Measurement
import Report
import Store
import Synchronization
import Threads

/// Writes reports to files and to standard output.
enum ReportRun {
  static func export(
    _ table: ExportTable, of source: ReportSource, format: RecordFormat, to path: String?,
    isExact: Bool = false, method: IntervalMethod = .dependent
  ) throws {
    OutputSignals.ignore()
    try printPruned(table, of: source.selection, from: source.reader)
    var progress = ExportProgress(clock: SystemClock()) { StandardError.writeProgress("pushscope: \($0)") }
    try ReportOutput.write(to: path, store: source.path) { sink in
      let exporter = Exporter(
        reader: source.reader, selection: source.selection, format: format, isExact: isExact, method: method
      ) {
        progress.update(rows: $0)
      }
      progress.finish(rows: try exporter.export(table, to: sink))
    }
  }

  /// Says where retention has deleted a part of what was asked for.
  private static func printPruned(
    _ table: ExportTable, of selection: RowSelection, from reader: any SampleSource
  ) throws {
    guard [.samples, .receipts, .summary, .histogram].contains(table),
      let pruned = try reader.pruned().samples,
      selection.since ?? .distantPast < pruned,
      try reader.runs().contains(where: { $0.startedAt < pruned && selection.run ?? $0.id == $0.id })
    else { return }
    let what =
      [.samples, .receipts].contains(table)
      ? "they are not in this table" : "figures of that time come from rollups"
    StandardError.write(
      "pushscope: single notifications planned before \(pruned.rfc3339) are deleted (retention); \(what)")
  }

  static func summary(
    of selection: RowSelection, from reader: any SampleSource, asJSON: Bool, isExact: Bool = false,
    method: IntervalMethod = .dependent
  ) throws {
    let report = try SummaryReport(reader, selection, isExact: isExact, method: method)
    try write(lines: asJSON ? [report.json.text] : report.lines)
  }

  static func breakdown(
    _ report: BreakdownReport, format: RecordFormat, to path: String?, store: String?
  ) throws {
    OutputSignals.ignore()
    try ReportOutput.write(to: path, store: store) { sink in try report.write(format, to: sink) }
  }

  static func write(lines: [String]) throws {
    OutputSignals.ignore()
    try ReportOutput.write(to: nil) { sink in
      for line in lines { try sink.write(line + "\n") }
    }
  }
}

/// Lines for people, on stderr; stdout carries data only. Messages may quote untrusted text, so control characters are escaped.
enum StandardError {
  /// Writes a message. A command that runs long queues it behind its log (``DaemonLog``); any other one waits for the reader.
  static func write(_ message: String) {
    let shown = EscapedText.make(message, keepsLines: true)
    let line = shown.hasSuffix("\n") ? String(shown.dropLast()) : shown
    if let log = BackgroundOutput.writer(of: STDERR_FILENO) { return log.write(line) }
    // There is nowhere left to say that it failed.
    try? FileDescriptorSink(descriptor: STDERR_FILENO, name: "standard error").write(line + "\n")
  }

  /// Writes how far the work is, unless nobody reads: the work does not wait for that.
  static func writeProgress(_ message: String) {
    var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&ready, 1, 0) > 0 { write(message) }
  }
}

extension String {
  func replacingPrefix(_ prefix: String, with replacement: String) -> String {
    hasPrefix(prefix) ? replacement + dropFirst(prefix.count) : self
  }
}

/// Data for programs, on stdout.
enum StandardOutput {
  /// Writes a line without buffering, and waits for the reader. A reader that has closed the pipe is no error.
  static func writeLine(_ line: String) throws(OutputError) {
    do {
      try FileDescriptorSink.standardOutput().write(line + "\n")
    } catch {
      if error.code != .closedPipe { throw error }
    }
  }

  /// Writes a line of a command that runs on, also if nobody reads it.
  static func announce(_ line: String) throws(OutputError) {
    guard let writer = BackgroundOutput.begin(STDOUT_FILENO, name: "output", words: { _ in "" }) else {
      return try writeLine(line)
    }
    writer.write(line)
  }
}

/// The threads that write what nobody may wait for, and the wait for them at the end of the process.
enum BackgroundOutput {
  /// Bytes that may wait for a reader: more than a minute of a busy log.
  private static let capacity = 1 << 20
  private static let longestWait = Duration.seconds(1)
  private static let writers = Mutex<[Int32: LineWriter]>([:])

  /// Starts the thread of a descriptor, or returns the one that there is; `nil` when the system has no thread left.
  static func begin(
    _ descriptor: Int32, name: String, words: @escaping @Sendable (Int) -> String
  ) -> LineWriter? {
    writers.withLock { writers in
      if let writer = writers[descriptor] { return writer }
      let writer = try? LineWriter(descriptor, name: name, capacity: capacity, words: words)
      writers[descriptor] = writer
      return writer
    }
  }

  static func writer(of descriptor: Int32) -> LineWriter? { writers.withLock { $0[descriptor] } }

  /// Waits until everything is written, for a moment: a reader that does not read must not keep a process from its end.
  static func finish() {
    let deadline = SuspendingClock.now + longestWait
    for writer in writers.withLock({ Array($0.values) }) {
      writer.flush(within: deadline - SuspendingClock.now)
    }
  }
}
