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

  @OptionGroup var intervals: IntervalOptions

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var source: SourceOptions

  func run() throws {
    let source = try source.source(selection, newest: true)
    try ReportRun.summary(
      of: source.selection, from: source.reader, asJSON: json, isExact: exact, method: intervals.method)
  }
}
