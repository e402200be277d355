import ArgumentParser
import Formats
import Report
import Store

struct Summary: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print quantiles with their intervals, states and rates, per run, target and variant.",
    discussion: """
      Without --run, --since and --until it summarizes the newest run. Intervals allow for probes that disturb one another; n \
      in brackets is how many independent probes would say as much.

      Example: pushscope summary --run latest --json
      Example: pushscope summary --fleet --label team=mobile --by region

      With --by it prints a row for each value of a key in place of that: what share was in time, and how long it took.

      Example: pushscope summary --since -7d --by hour --zone Europe/Berlin --within 5s
      """)

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  @Flag(
    help: ArgumentHelp(
      "Compute quantiles from every value, not from rollups.",
      discussion:
        "Without it, targets with more than 100000 notifications use rollups, with 3 significant digits."
    ))
  var exact = false

  @OptionGroup var breakdown: BreakdownOptions
  @OptionGroup var intervals: IntervalOptions

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var source: SourceOptions

  func run() throws {
    if let (source, keys) = try source.breakdown(selection, newest: true) {
      let report = try BreakdownReport(
        source.reader, source.selection, try breakdown.plan(keys, intervals.method))
      return try ReportRun.write(lines: json ? [report.json.text] : report.lines)
    }
    try breakdown.checkUnused()
    let source = try source.source(selection, newest: true)
    try ReportRun.summary(
      of: source.selection, from: source.reader, asJSON: json, isExact: exact, method: intervals.method)
  }
}
