import ArgumentParser
import Report
import Store

/// Which rows a report is about: `--run`, `--target`, `--since`, `--until`.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only this run: its UUID or the beginning of it, its name, or latest.", valueName: "run"))
  var run: String?

  @Option(
    name: .customLong("target"), help: ArgumentHelp("Only this target (repeatable).", valueName: "name"))
  var targets: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Planned at or after: RFC 3339, or relative like -1h.", valueName: "time"),
    transform: TimeArgument.parse)
  var since: TimeArgument?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Planned before: RFC 3339, or relative like -5m.", valueName: "time"),
    transform: TimeArgument.parse)
  var until: TimeArgument?

  /// - Throws: `ReportError` when the run or a target is not in the store.
  func selection(in reader: StoreReader) throws -> RowSelection {
    let run = try run.map { try RunFinder.find($0, in: reader).id }
    if !targets.isEmpty { try RunFinder.check(targets: Set(targets), of: run, in: reader) }
    return RowSelection(
      run: run, targets: targets.isEmpty ? nil : Set(targets), since: since?.time, until: until?.time)
  }
}
