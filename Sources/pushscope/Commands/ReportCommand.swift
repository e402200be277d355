import ArgumentParser
import Formats
import Measurement
import Report
import Store

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a report to pass on: one HTML file with what was found, charts, tables and the method.",
    discussion: """
      The file refers to nothing outside of itself: it can be mailed, read on a phone and printed. Times are those of this \
      host's time zone (TZ), and UTC's. Without --run, --since and --until it is about the newest run.

      Example: pushscope report --since -7d --target ios --output report.html
      """)

  @Option(
    help: ArgumentHelp(
      "The file to write; it appears when it is complete. - for stdout.", valueName: "file"))
  var output: String

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var store: StoreOption

  func validate() throws {
    if output.isEmpty {
      throw ValidationError("--output is empty; name the file to write, or - for stdout")
    }
    if let since = selection.since?.time, since > SystemClock().wallNow() {
      throw ValidationError(
        "--since \(since.rfc3339) is in the future; nothing is recorded there yet. Write an earlier time, like -1h"
      )
    }
  }

  func run() throws {
    let path = try store.path(for: .reading)
    if output != "-" { try AtomicFile.check(output, databases: OutputGuard(databases: [path])) }
    let reader = try StoreOption.reader(at: path)
    let rows = try selection.orNewestRun.selection(in: reader)
    OutputSignals.ignore()
    let report = try HTMLReport(reader, rows, at: SystemClock().wallNow(), in: .system)
    let (notifications, targets) = report.size
    if notifications == 0 {
      StandardError.write(
        "pushscope: nothing was sent in this time, so there are no figures in the report; pushscope runs lists what is recorded"
      )
    }
    try ReportOutput.write(to: output, store: reader.path) { try report.write(to: $0) }
    guard output != "-" else { return }
    let size = "\(CountText.text(notifications, "notification")) to \(CountText.text(targets, "target"))"
    StandardError.write("pushscope: wrote \(output): \(size)")
  }
}
