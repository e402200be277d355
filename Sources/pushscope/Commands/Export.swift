import ArgumentParser
import Formats
import Measurement
import Report
import Store

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a table of the store as CSV or JSON Lines.",
    discussion: """
      Works while a collector is running. Times are RFC 3339 in UTC, durations are whole microseconds, and an absent value \
      is empty. docs/reports.md describes the columns.

      Example: pushscope export samples --since -1h --target ios --output samples.csv
      """)

  @Argument(
    help: ArgumentHelp(
      "samples, receipts, events, log, runs, histogram, summary or findings.", valueName: "table"))
  var table: ExportTable

  @Option(help: "csv or jsonl.")
  var format: RecordFormat = .csv

  @Option(
    help: ArgumentHelp(
      "Write to this file instead of stdout; it appears when it is complete.", valueName: "file"))
  var output: String?

  @Flag(help: "Compute summary and histogram from every notification, not from rollups.")
  var exact = false

  @OptionGroup var intervals: IntervalOptions

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var store: StoreOption

  func run() throws {
    let path = try store.path(for: .reading)
    if let output, output != "-" { try OutputGuard(databases: [path]).check(output) }
    let reader = try StoreOption.reader(at: path)
    let rows = try selection.selection(in: reader)
    try ReportRun.export(
      table, of: rows, format: format, from: reader, to: output, isExact: exact,
      method: intervals.method)
  }
}

extension ExportTable: ExpressibleByArgument {}
extension RecordFormat: ExpressibleByArgument {}
