import Analysis
import Formats
import Glibc
import Measurement
import Report
import Store

/// Writes reports to files and to standard output.
enum ReportRun {
  static func export(
    _ table: ExportTable, of source: ReportSource, format: RecordFormat, to path: String?,
    isExact: Bool = false, method: IntervalMethod = .dependent
  ) throws {
    OutputSignals.ignore()
    try notePruned(table, of: source.selection, from: source.reader)
    var progress = ExportProgress(clock: SystemClock()) { StandardError.write("pushscope: \($0)") }
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
  private static func notePruned(
    _ table: ExportTable, of selection: RowSelection, from reader: any SampleSource
  ) throws {
    guard [.samples, .receipts, .summary, .histogram].contains(table),
      let pruned = try reader.pruned().samples,
      selection.since ?? WallTime(microseconds: .min) < pruned,
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

  static func write(lines: [String]) throws {
    OutputSignals.ignore()
    try ReportOutput.write(to: nil) { sink in
      for line in lines { try sink.write(line + "\n") }
    }
  }
}

/// Lines for people, on stderr; stdout carries data only. Messages may quote untrusted text, so control characters are escaped.
enum StandardError {
  static func write(_ line: String) {
    let shown = EscapedText.make(line, keepsLines: true)
    var text = shown.hasSuffix("\n") ? shown : shown + "\n"
    text.makeContiguousUTF8()
    text.utf8.withContiguousStorageIfAvailable { bytes in
      var offset = 0
      while offset < bytes.count {
        guard let base = bytes.baseAddress else { return }
        let written = Glibc.write(STDERR_FILENO, base + offset, bytes.count - offset)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        offset += written
      }
    }
  }
}

extension String {
  func replacingPrefix(_ prefix: String, with replacement: String) -> String {
    hasPrefix(prefix) ? replacement + dropFirst(prefix.count) : self
  }
}

/// Data for programs, on stdout.
enum StandardOutput {
  /// Writes a line without buffering.
  static func writeLine(_ line: String) {
    Array((line + "\n").utf8).withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count, let base = bytes.baseAddress {
        let written = Glibc.write(STDOUT_FILENO, base + offset, bytes.count - offset)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        offset += written
      }
    }
  }
}
