import Analysis
import ArgumentParser
import Collector
import Configuration
import Fleet
import Formats
import Foundation
import Measurement
import Report
import Store

struct FindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "List what changed: since when, by how much, and what the cause is.",
    discussion: """
      docs/findings.md says what a finding is. The options of the list are in pushscope findings list --help.

      Example: pushscope findings --since -1d
      """,
    subcommands: [List.self, Show.self, Evidence.self, Hide.self, Unhide.self],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List findings, one line each; incidents that repeat are one line.",
      discussion: """
        Findings of the first two days of a series are provisional; --fail-on counts them only with --provisional. \
        Improvements never count, and neither do daily patterns: what is slower at the same hours of most days is usual.

        With --recompute the whole store is looked at again, as for a store that was recorded by an older version. That \
        prints what is found; with --save it is also written, for which no collector may have the store.

        Example: pushscope findings --since -1d --fail-on open
        Example: pushscope findings --fleet --label region=eu-west
        Example: pushscope findings --recompute --store old.sqlite
        """)

    @Option(help: ArgumentHelp("open or any: end with 99 where there is such a finding.", valueName: "which"))
    var failOn: FindingsReport.FailureRule?

    @Flag(help: "Let --fail-on count provisional findings, too.")
    var provisional = false

    @Flag(help: "Look for changes in the whole store again.")
    var recompute = false

    @Flag(help: "Write what --recompute finds to the store.")
    var save = false

    @Flag(help: "Print what would be found: the shortest change of a size, target by target.")
    var power = false

    @Option(
      help: ArgumentHelp(
        "Print the rate at which a change would be found, as \"x1.5 for 5min\" or \"5% for 1min\".",
        valueName: "change"),
      transform: SoughtChange.parse)
    var find: SoughtChange?

    @Flag(help: "List each of the incidents that repeat, instead of the last of them.")
    var each = false

    @Flag(help: "Print one JSON object instead of lines.")
    var json = false

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var source: SourceOptions

    func validate() throws {
      if recompute, source.fleet {
        throw ValidationError("--recompute looks at a store; leave --fleet out")
      }
      if power || find != nil, source.fleet || recompute {
        throw ValidationError("--power and --find look at what a collector noted in its store")
      }
      if power || find != nil {
        let useless = [
          ("--since", selection.since != nil), ("--until", selection.until != nil),
          ("--run", selection.run != nil), ("--fail-on", failOn != nil), ("--provisional", provisional),
          ("--each", each),
        ].filter(\.1).map(\.0)
        if !useless.isEmpty {
          throw ValidationError(
            "\(power ? "--power" : "--find") says what would be found from now on, of all that is recorded, and lists no findings; "
              + "leave out \(ListText.and(useless))")
        }
      }
      if each, json { throw ValidationError("--json has each finding by itself; leave out --each") }
      if power, find != nil {
        throw ValidationError("--power prints all sizes, --find one change; give one of them")
      }
      if save, !recompute { throw ValidationError("--save writes what --recompute finds; give both") }
    }

    func run() throws {
      if power || find != nil {
        let reader = try StoreOption.reader(at: source.store.path(for: .reading))
        let table = PowerTable(try FindingsReport.watched(reader, selection.selection(in: reader)))
        guard let find else { return try ReportRun.write(lines: json ? [table.json.text] : table.lines) }
        return try ReportRun.write(
          lines: json
            ? [table.json(finding: find.size, isShare: find.isShare, for: find.length).text]
            : table.lines(finding: find.size, isShare: find.isShare, for: find.length))
      }
      let report = source.fleet ? try fleetReport() : try storeReport()
      try ReportRun.write(
        lines: json ? [report.json.text] : report.lines(today: SystemClock().wallNow(), isFolded: !each))
      if let failOn, report.fails(on: failOn, countsProvisional: provisional) {
        throw ExitCode(ExitStatus.threshold.rawValue)
      }
    }

    private func fleetReport() throws -> FindingsReport {
      let source = try source.source(selection)
      let rows = source.selection
      let records = try source.reader.findings(
        FindingSelection(run: rows.run, targets: rows.targets, since: rows.since, until: rows.until))
      let ends = try RecordingEnds(
        records, targets: (source.reader as? FleetReader)?.recordedTo ?? [:], in: source.reader)
      return FindingsReport(records, ends: ends)
    }

    private func storeReport() throws -> FindingsReport {
      let path = try source.store.path(for: save ? .writing : .reading)
      let reader = try StoreOption.reader(at: path)
      let rows = try selection.selection(in: reader)
      guard recompute else { return try FindingsReport(reader, rows, at: SystemClock().wallNow()) }
      let changes = try recomputed(reader, path)
      return try FindingsReport(
        changes.findings, rows,
        series: WatchedSeries.all(changes.detectors.map(\.detector), in: reader, of: rows),
        ends: RecordingEnds(changes.findings, in: reader, at: SystemClock().wallNow()))
    }

    private func recomputed(_ reader: StoreReader, _ path: String) throws -> FindingChanges {
      let clock = SystemClock()
      guard let changes = try FindingRecomputation.run(reader, to: clock.wallNow()) else {
        return FindingChanges()
      }
      if save {
        let writer = try StoreAdministration.open(path, clock: clock)
        defer { writer.close() }
        try writer.save(changes)
      }
      return changes
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show everything about a finding.",
      discussion: """
        Example: pushscope findings show 3f9a01bc
        Example: pushscope findings show 3f9a01bc --fleet
        """)

    @Argument(help: FindingChoice.help)
    var id: String

    @OptionGroup var place: PlaceOptions

    func run() throws {
      guard place.fleet else {
        let reader = try place.store.reader(for: .reading)
        return try show(reader) { try RecordingEnds([$0], in: reader, at: SystemClock().wallNow()) }
      }
      // Of any time.
      let reader = try FleetReader(
        try FleetFile.load(place.configurationFile), FleetSelection(labels: place.labels))
      try show(reader) { try RecordingEnds([$0], targets: reader.recordedTo, in: reader) }
    }

    private func show(_ reader: any SampleSource, _ ends: (FindingRecord) throws -> RecordingEnds) throws {
      let record = try FindingDetails.find(id, in: reader)
      try ReportRun.write(lines: FindingDetails.lines(record, stoppedAt: ends(record)[record]))
    }
  }

  struct Evidence: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print what a provider's engineers ask for, ready to be sent to them.",
      discussion: """
        For each provider of the finding's incident: the ids of the five worst notifications and of five normal ones of the same \
        time, when each was sent, accepted and received, with the bounds of what is not exact, topic, priority and push type, and \
        how other devices did meanwhile. It contains no secret; of tokens only the first eight digits of their SHA-256.

        What was asked for is taken from the configuration as it is now; without one it is left out.

        Example: pushscope findings evidence 3f9a01bc > for-apple.txt
        Example: pushscope findings evidence 3f9a01bc --json
        """)

    @Argument(help: FindingChoice.help)
    var id: String

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @OptionGroup var place: PlaceOptions

    func run() throws {
      let reader: any SampleSource =
        place.fleet
        ? try FleetReader(
          try FleetFile.load(place.configurationFile), FleetSelection(labels: place.labels))
        : try place.store.reader(for: .reading)
      let evidence = try FindingEvidence(
        FindingDetails.find(id, in: reader), reader, configured: configured(),
        now: SystemClock().wallNow())
      try ReportRun.write(lines: json ? [evidence.json.text] : evidence.lines)
    }

    /// What the configuration says of targets; `nil` where there is none at the usual places, or it cannot be used.
    /// - Throws: what is wrong with a configuration that is named.
    private func configured() throws -> [String: EvidenceTarget]? {
      guard let path = place.configurationFile.existingPath else { return nil }
      do {
        let file = try PushscopeConfiguration.load(
          path: path, environment: ProcessEnvironment.all, checksOnly: true)
        let effective =
          place.fleet ? file : try EffectiveConfiguration.make(file, store: place.store.path(for: .reading))
        return Dictionary(
          effective.targets.map { ($0.name, EvidenceTarget($0)) }, uniquingKeysWith: { first, _ in first })
      } catch {
        guard place.configurationFile.file == nil else { throw error }
        StandardError.write("pushscope: \(path) is left out: \(error)")
        return nil
      }
    }
  }

  struct Hide: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a finding out of lists, counts and alerts.",
      discussion: """
        It is not deleted: findings show still shows it. A collector that has the store carries it out.

        Example: pushscope findings hide 3f9a01bc
        """)

    @OptionGroup var choice: FindingChoice

    func run() throws {
      let (record, path) = try choice.find(for: .changing)
      try ControlRun.carryOut(.hide(finding: record.id), store: path, within: 10)
    }
  }

  struct Unhide: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List a hidden finding again.", discussion: "Example: pushscope findings unhide 3f9a01bc")

    @OptionGroup var choice: FindingChoice

    func run() throws {
      let (record, path) = try choice.find(for: .changing)
      try ControlRun.carryOut(.unhide(finding: record.id), store: path, within: 10)
    }
  }
}

/// A change as `--find` takes it: `x1.5 for 5min`, `5% for 1min`.
struct SoughtChange {
  let size: Double
  let isShare: Bool
  let length: Duration

  /// - Throws: `ValidationError` that says which part is wrong, and what to write.
  static func parse(_ text: String) throws -> SoughtChange {
    // A space before a unit is what the sentences of findings have, too.
    let parts = text.split(separator: " for ", maxSplits: 1).map {
      String($0).replacing(/\s+(?=[a-zA-Zµ%])/, with: "").replacing(/^\s+|\s+$/, with: "")
    }
    guard parts.count == 2 else {
      throw error(
        text, "is not a change", "write a size, for and a length, like \"x1.5 for 5min\" or \"5% for 1min\"")
    }
    guard let duration = try? DurationText.parse(parts[1]), duration >= .seconds(1), duration <= .days(1)
    else {
      throw error(parts[1], "is not a length that is looked for", "write 1s to 1d, like 40s, 5min or 2h")
    }
    let isShare = parts[0].hasSuffix("%")
    let number = isShare ? parts[0].dropLast() : parts[0].drop { "x×".contains($0) }
    guard let value = Double(number), value.isFinite,
      isShare ? value > 0 && value <= 100 : value > 1 && value <= 1000
    else {
      throw error(
        parts[0], "is not a size",
        "write how many times slower, above x1 and up to x1000, or a share above 0% and up to 100%")
    }
    return SoughtChange(
      size: isShare ? value / 100 : value, isShare: isShare, length: duration)
  }

  private static func error(_ text: some StringProtocol, _ problem: String, _ remedy: String)
    -> ValidationError
  {
    ValidationError("\"\(EscapedText.make(String(text.prefix(80))))\" \(problem); \(remedy)")
  }
}

/// One finding of a store.
struct FindingChoice: ParsableArguments {
  static let help = ArgumentHelp("The finding's id, or the beginning of it.", valueName: "id")

  @Argument(help: Self.help)
  var id: String

  @OptionGroup var store: StoreOption

  /// - Returns: the finding, and the path of its store.
  /// - Throws: ``CommandFailure``, `ReportError`, `StoreError`.
  func find(for purpose: DefaultPath.Purpose) throws -> (record: FindingRecord, store: String) {
    let reader = try store.reader(for: purpose)
    return (try FindingDetails.find(id, in: reader), reader.path)
  }
}

extension FindingsReport.FailureRule: ExpressibleByArgument {}
