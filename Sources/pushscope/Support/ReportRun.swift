import Formats
import Measurement
import Report
import Store

/// Writes reports where commands want them.
enum ReportRun {
  static func export(
    _ table: ExportTable, of selection: RowSelection, format: RecordFormat, from reader: StoreReader,
    to path: String?, isExact: Bool = false
  ) throws {
    OutputSignals.ignore()
    var progress = ExportProgress(clock: SystemClock()) { StandardError.write("pushscope: \($0)") }
    try ReportOutput.write(to: path, store: reader.path) { sink in
      let exporter = Exporter(reader: reader, selection: selection, format: format, isExact: isExact) {
        progress.update(rows: $0)
      }
      progress.finish(rows: try exporter.export(table, to: sink))
    }
  }

  static func summary(
    of selection: RowSelection, from reader: StoreReader, asJSON: Bool, isExact: Bool = false
  ) throws {
    let report = try SummaryReport(reader, selection, isExact: isExact)
    try write(lines: asJSON ? [report.json.text] : report.lines)
  }

  static func write(lines: [String]) throws {
    OutputSignals.ignore()
    try ReportOutput.write(to: nil) { sink in
      for line in lines { try sink.write(line + "\n") }
    }
  }
}
