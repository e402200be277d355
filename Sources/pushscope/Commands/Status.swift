import Analysis
import ArgumentParser
import Formats
import Glibc
import Measurement
import Report
import Store
import Terminal

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say in a line a target whether all is well.",
    discussion: """
      Reads the store, beside a collector or without one. The last hour is reported, with what was before it where that differs; \
      "within" is the limit of the objective that is breached, of the first where none is, else the receipt deadline. docs/findings.md explains the words: \
      \(StatusWord.allCases.map(\.rawValue).joined(separator: ", ")).

      Example: pushscope status
      Example: pushscope status --exit-code >/dev/null || echo "somebody has to look"
      Example: pushscope status --fleet --by region
      """)

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  @Flag(
    help: ArgumentHelp(
      "End with 99 where something is open: \(StatusWord.allCases.filter(\.isOpen).map(\.rawValue).joined(separator: ", ")), or where a part of the collector has failed or its disk is full."
    )
  )
  var exitCode = false

  @Option(
    name: .customLong("target"), help: ArgumentHelp("Only this target (repeatable).", valueName: "name"))
  var targets: [String] = []

  @OptionGroup var source: SourceOptions

  func run() throws {
    let reader = try source.reader()
    let names = targets.isEmpty ? nil : Set(targets)
    if let names { try RunFinder.check(targets: names, of: nil, in: reader) }
    let now = SystemClock().wallNow()
    let status = try StatusReader(reader, targets: names, isGrouped: !source.by.isEmpty, at: now).status()
    try ReportRun.write(
      lines: json
        ? [StatusReport(status).json.text]
        : status.lines(width: TerminalSize.columnsAndRows(of: STDOUT_FILENO)?.columns))
    if exitCode, status.isOpen { throw ExitCode(ExitStatus.threshold.rawValue) }
  }
}
