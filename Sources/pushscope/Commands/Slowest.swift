import ArgumentParser
import Formats
import Measurement
import Report
import Store

struct Slowest: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the slowest notifications, and what each waited for.",
    discussion: """
      A line each: how long it took, what took most of that, in words, and then the parts of its way (lag: planned to sent; \
      service: sent to accepted; transit: accepted to received; display: received to shown), the connection that carried it, and the finding in whose time it \
      was planned. Without --run, --since and --until it looks at the newest run.

      Example: pushscope slowest --count 5 --target ios --since -1h
      Example: pushscope slowest --metric accept --json
      """)

  @Option(help: ArgumentHelp("How many to list, at most \(SlowestReport.mostCount).", valueName: "count"))
  var count = 10

  @Option(
    help: ArgumentHelp(
      "delivery, accept, service or shown (default: delivery where receipts are expected, else accept).",
      valueName: "metric"),
    transform: MetricArgument.parseOfNotifications)
  var metric: Metric?

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var source: SourceOptions

  func validate() throws {
    guard (1...SlowestReport.mostCount).contains(count) else {
      throw ValidationError(
        "--count \(count) is out of range; give a number from 1 to \(SlowestReport.mostCount)")
    }
    if metric == .path {
      throw ValidationError(
        "--metric path is of PINGs, which are no notifications; name delivery, accept, service or shown")
    }
  }

  func run() throws {
    let source = try source.source(selection, newest: true)
    let report = try SlowestReport(source.reader, source.selection, metric: metric, count: count)
    try ReportRun.write(
      lines: json ? [report.json.text] : report.lines(today: SystemClock().wallNow()))
  }
}
