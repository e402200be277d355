import ArgumentParser
import Report
import Store

struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Judge whether a recording meets a requirement; the exit code is the verdict.",
    discussion: """
      The share received in time is that of all notifications that were planned and are settled, whatever became of \
      them. It is met where the whole 95 % interval is at or above the requirement, breached where all of it is below, \
      and undecided otherwise. A quantile, or a share of what should not happen, is met where the upper end of its \
      interval is below the limit: lost is of the accepted, and late ones count as lost; unseen is of what was \
      delivered to a device that reports what it shows; failed and refused are of the \
      planned, and what was not sent because the provider refuses counts as refused. in_time(2s)>99% is the same as \
      --within 2s --share 99%. Each target is judged by itself. Without --run, --since and --until it judges the newest run.

      Ends with 0 where all gates are met, 99 where one is breached, 98 where one is undecided.

      Example: pushscope gate --within 2s --share 99%
      Example: pushscope gate 'lost<1%' 'refused<0.1%' 'in_time(2s)>99%' --since -1d
      Example: pushscope gate 'delivery.p99<250ms' 'accept within 1s share 99.9%' --target ios --junit gate.xml
      """)

  @OptionGroup var gates: GateOptions
  @OptionGroup var verdict: GateVerdictOptions

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  @OptionGroup var intervals: IntervalOptions

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var store: StoreOption

  func run() throws {
    let path = try store.path(for: .reading)
    try verdict.checkOutput(store: path)
    let reader = try StoreOption.reader(at: path)
    let report = try GateReport(
      gates.all, reader, selection.orNewestRun.selection(in: reader), isIndependent: intervals.independent)
    try report.requireRows()
    try verdict.end(with: report, store: path, asJSON: json)
  }
}
