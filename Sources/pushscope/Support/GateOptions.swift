import Analysis
import ArgumentParser
import Findings
import Formats
import Measurement
import Report
import Store

/// The gates of `pushscope gate`: as arguments, or one in options.
struct GateOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A gate: delivery.p99<250ms, lost<1%, unseen<1%, failed<1%, refused<1%, in_time(2s)>99%, or \"delivery within 2s share 99%\" (repeatable).",
      valueName: "gate"),
    transform: Self.parse)
  var gates: [Gate] = []

  @Option(
    help: ArgumentHelp("What counts as in time: with --share.", valueName: "duration"),
    transform: DurationArgument.parse)
  var within: DurationArgument?

  @Option(
    help: ArgumentHelp("The share that has to be in time: 99%, 99.9%.", valueName: "percent"),
    transform: ShareArgument.parse)
  var share: Double?

  @Option(
    help: ArgumentHelp(
      "service, accept, delivery, shown or path (default: delivery where receipts are expected, else accept).",
      valueName: "metric"),
    transform: MetricArgument.parse)
  var metric: Metric?

  @Option(
    help: ArgumentHelp("What the share is of: planned or accepted (default: planned).", valueName: "what"),
    transform: ShareArgument.parseBase)
  var over: Gate.Base?

  func validate() throws {
    switch (within, share) {
    case (nil, nil):
      if metric != nil || over != nil {
        throw ValidationError("--metric and --over go with --within and --share; give both")
      }
      if gates.isEmpty {
        throw ValidationError("there is no gate; give --within 2s --share 99%, delivery.p99<250ms or lost<1%")
      }
    case (nil, _):
      throw ValidationError("--share goes with --within; give what counts as in time, like --within 2s")
    case (_, nil): throw ValidationError("--within goes with --share; give the share, like --share 99%")
    default: break
    }
    try within?.checkLength(as: "--within")
  }

  var all: [Gate] {
    guard let within, let share else { return gates }
    return [Gate(metric, .share(share, within: within.duration, of: over ?? .planned))] + gates
  }

  static func parse(_ text: String) throws -> Gate {
    do throws(GateSyntaxError) {
      return try Gate(parsing: text)
    } catch {
      throw ValidationError(error.description)
    }
  }
}

/// What a gate's verdict does: `--undecided`, `--junit`.
struct GateVerdictOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "pass or fail: end with 0 or 99 where the gate is undecided (default: 98).", valueName: "rule"))
  var undecided: GateReport.UndecidedRule?

  @Option(
    help: ArgumentHelp(
      "Also write the verdict to this file, as JUnit's XML for CI services.", valueName: "file"))
  var junit: String?

  var isGiven: Bool { undecided != nil || junit != nil }

  /// Checks before anything is sent or read that the file of --junit can be written.
  /// - Throws: `OutputError`.
  func checkOutput(store path: String) throws {
    guard let junit, junit != "-" else { return }
    guard !junit.isEmpty else {
      throw ValidationError("--junit is empty: give a file, or - for standard output")
    }
    try AtomicFile.check(junit, databases: OutputGuard(databases: [path]))
  }

  /// Prints a report and ends with its exit code, also where the file of --junit cannot be written any more.
  /// - Throws: `ExitCode` unless the gates let pass.
  func end(with report: GateReport, store path: String, asJSON: Bool = false) throws {
    if let junit {
      do {
        try ReportOutput.write(to: junit, store: path) { try $0.write(report.jUnit(undecided: undecided)) }
      } catch let error as OutputError {
        StandardError.write("pushscope: \(error)")
      }
    }
    let lines = report.lines + [report.consequence(of: undecided)].compactMap { $0 }
    try ReportRun.write(lines: asJSON ? [report.json.text] : lines)
    switch report.outcome(undecided: undecided) {
    case .met: return
    case .breached: throw ExitCode(ExitStatus.threshold.rawValue)
    case .undecided: throw ExitCode(ExitStatus.undecided.rawValue)
    }
  }
}

extension GateReport.UndecidedRule: ExpressibleByArgument {}
