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
      Example: pushscope export summary --fleet --by region
      Example: pushscope export summary --by network --within 5s --since -7d
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

  @OptionGroup var breakdown: BreakdownOptions
  @OptionGroup var intervals: IntervalOptions

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var source: SourceOptions

  func validate() throws {
    guard source.by.isEmpty || [.summary, .histogram].contains(table) else {
      throw ValidationError("--by groups figures, and \(table.rawValue) are single rows; leave it out")
    }
  }

  func run() throws {
    if let output, output != "-" {
      let databases = try source.fleet ? [] : [source.store.path(for: .reading)]
      try AtomicFile.check(output, databases: OutputGuard(databases: databases))
    }
    if table == .summary, let (source, keys) = try source.breakdown(selection) {
      return try ReportRun.breakdown(
        BreakdownReport(source.reader, source.selection, try breakdown.plan(keys, intervals.method)),
        format: format, to: output, store: source.path)
    }
    try breakdown.checkUnused()
    let source = try source.source(selection)
    try ReportRun.export(
      table, of: source, format: format, to: output, isExact: exact, method: intervals.method)
  }
}

extension ExportTable: ExpressibleByArgument {}
extension RecordFormat: ExpressibleByArgument {}
