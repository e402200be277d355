import ArgumentParser
import Measurement
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
    help: ArgumentHelp(
      "Planned at or after: a time like 2026-03-01T12:00:00Z, a date (both UTC without a zone), or -1h.",
      valueName: "time"),
    transform: TimeArgument.parse)
  var since: TimeArgument?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Planned before: the same forms, like -5m.", valueName: "time"),
    transform: TimeArgument.parse)
  var until: TimeArgument?

  func validate() throws {
    guard let since, let until, since.time > until.time else { return }
    throw ValidationError(
      "--since \(since.time.rfc3339) is after --until \(until.time.rfc3339); nothing lies between them")
  }

  /// - Throws: `ReportError` when the run or a target is not in the store.
  func selection(in reader: StoreReader) throws -> RowSelection {
    let run = try run.map { try RunFinder.find($0, in: reader).id }
    if !targets.isEmpty { try RunFinder.check(targets: Set(targets), of: run, in: reader) }
    return RowSelection(
      run: run, targets: targets.isEmpty ? nil : Set(targets), since: since?.time, until: until?.time)
  }
}
