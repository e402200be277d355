import Analysis
import ArgumentParser
import Configuration
import Fleet
import Foundation
import Measurement
import Report
import Store

/// What is read: a store, or with `--fleet` the engine that many collectors forward to.
struct PlaceOptions: ParsableArguments {
  @OptionGroup var store: StoreOption

  @Flag(
    help: ArgumentHelp(
      "Read the ClickHouse of the configuration's section fleet: instead of a store.",
      discussion: "Where no run and no time is given, the last 24 hours."))
  var fleet = false

  @Option(
    name: .customLong("label"),
    help: ArgumentHelp(
      "With --fleet: only runs with this label (repeatable).", valueName: "name=value"),
    transform: LabelArgument.parse)
  var labels: [FleetSelection.Label] = []

  @OptionGroup var configurationFile: ConfigurationOption

  func validate() throws {
    guard fleet else {
      if !labels.isEmpty {
        throw ValidationError("--label selects a fleet's runs; give --fleet, too")
      }
      return
    }
    if store.file != nil { throw ValidationError("--store and --fleet name two sources; give one of them") }
  }

  /// How far reports of a fleet look back where neither a run nor a time is named.
  private static let usualTime = Duration.days(1)

  /// The last day up to a time, or up to now.
  static func usualBeginning(_ until: WallTime?) -> WallTime {
    let now = SystemClock().wallNow()
    return min(now, until ?? now) - usualTime
  }

  /// One run, of a store or of a fleet.
  /// - Throws: ``CommandFailure``, `ReportError`, `StoreError`, `FleetError`.
  func find(run wanted: String) throws -> (run: RunRecord, reader: any SampleSource) {
    guard fleet else {
      let reader = try store.reader()
      return (try RunFinder.find(wanted, in: reader), reader)
    }
    let reader = try FleetReader(
      try FleetFile.load(configurationFile), FleetSelection(run: wanted, labels: labels))
    // Where there are none, "latest" names none.
    guard let run = reader.selectedRuns.last else {
      throw CommandFailure(
        "the fleet has no runs\(labelText); see what it has of each collector: pushscope fleet status",
        exitStatus: .noInput)
    }
    return (try RunFinder.find(run.description, in: reader), reader)
  }

  /// ` with the label region=eu-west`; empty without labels.
  var labelText: String {
    guard !labels.isEmpty else { return "" }
    let list = ListText.and(labels.map { "\($0.name)=\($0.value)" })
    return EscapedText.make(" with the label \(list)")
  }
}

/// What a report is read from, and how the runs of a fleet are grouped.
struct SourceOptions: ParsableArguments {
  @OptionGroup var place: PlaceOptions

  @Option(
    help: ArgumentHelp(
      "With --fleet: take runs with the same value of this label as one. In summary, export summary and compare also a key (twice at most), by whose values notifications are divided: \(BreakdownKey.names).",
      valueName: "name"))
  var by: [String] = []

  var fleet: Bool { place.fleet }
  var store: StoreOption { place.store }

  /// The label by which the runs of a fleet are grouped.
  /// - Throws: `ValidationError` without a fleet, or of several.
  func grouping() throws -> String? {
    guard let label = by.first else { return nil }
    guard fleet else { throw ValidationError("--by groups a fleet's runs; give --fleet, too") }
    guard by.count == 1 else { throw ValidationError("runs are grouped by one label; give --by once") }
    return label
  }

  /// The keys that `--by` names; `nil` where it is not given, or can only be a label of a fleet's runs.
  /// - Throws: `ValidationError` where it names neither.
  private func keys() throws -> [BreakdownKey]? {
    guard let first = by.first else { return nil }
    let keys = by.compactMap { BreakdownKey(name: $0) }
    // Of a fleet any name may be a label's.
    if fleet, by.count == 1, keys.isEmpty { return nil }
    guard keys.count == by.count else {
      let name = by.first { BreakdownKey(name: $0) == nil } ?? first
      throw ValidationError("--by \(name) is none of the keys; give one of \(BreakdownKey.names)")
    }
    guard keys.count <= 2, Set(keys).count == keys.count else {
      let problem =
        keys.count > 2 ? "--by is given \(keys.count) times" : "--by \(keys[0].name) is given twice"
      throw ValidationError("\(EscapedText.make(problem)); give it at most twice, with different keys")
    }
    return keys
  }

  /// Refuses a label that no run has.
  private func check(_ keys: [BreakdownKey], in reader: any SampleSource) throws {
    for case .label(let name) in keys where try reader.labels(named: name).isEmpty {
      throw CommandFailure(
        EscapedText.make("--by label:\(name): no run has the label \(name)")
          + "; a run has those under labels in the configuration that began it", exitStatus: .noInput)
    }
  }

  /// Whether the only name that is given is a label's.
  private func isLabel(of reader: any SampleSource) throws -> Bool {
    guard fleet, by.count == 1, let name = by.first else { return false }
    return try !reader.labels(named: name).isEmpty
  }

  /// What `--by` divides notifications by; `nil` where it is not given, or names a label of a fleet's runs.
  /// - Throws: `ValidationError` where it names neither; the errors of ``source(_:newest:)``.
  func breakdown(_ selection: SelectionOptions, newest: Bool = false) throws -> (
    source: ReportSource, keys: [BreakdownKey]
  )? {
    guard let keys = try keys() else { return nil }
    let source = try source(selection, newest: newest, groupedBy: nil)
    if try isLabel(of: source.reader) { return nil }
    try check(keys, in: source.reader)
    return (source, keys)
  }

  /// The same of all runs of a store, or those of a fleet in a time.
  func breakdown(since: WallTime?, until: WallTime?) throws -> (
    reader: any SampleSource, keys: [BreakdownKey]
  )? {
    guard let keys = try keys() else { return nil }
    let reader = try reader(since: since, until: until, groupedBy: nil)
    if try isLabel(of: reader) { return nil }
    try check(keys, in: reader)
    return (reader, keys)
  }

  /// - Parameter newest: whether a store's newest run is meant where neither a run nor a time is given.
  /// - Throws: ``CommandFailure``, `StoreError`, `FleetError`, `ReportError`.
  func source(_ selection: SelectionOptions, newest: Bool = false) throws -> ReportSource {
    try source(selection, newest: newest, groupedBy: grouping())
  }

  private func source(_ selection: SelectionOptions, newest: Bool, groupedBy label: String?) throws
    -> ReportSource
  {
    guard fleet else {
      let path = try store.path(for: .reading)
      let reader = try StoreOption.reader(at: path)
      let selection = newest ? selection.orNewestRun : selection
      return ReportSource(reader: reader, selection: try selection.selection(in: reader), path: path)
    }
    let (reader, since) = try fleetReader(
      run: selection.run, since: selection.since?.time, until: selection.until?.time, groupedBy: label)
    let run = selection.run == nil ? nil : reader.selectedRuns.first
    let targets = selection.targets.isEmpty ? nil : Set(selection.targets)
    if let targets { try RunFinder.check(targets: targets, of: run, in: reader) }
    return ReportSource(
      reader: reader,
      selection: RowSelection(run: run, targets: targets, since: since, until: selection.until?.time),
      path: nil)
  }

  /// All runs of a store, or those of a fleet in a time, the last day without one.
  func reader(since: WallTime? = nil, until: WallTime? = nil) throws -> any SampleSource {
    try reader(since: since, until: until, groupedBy: grouping())
  }

  private func reader(
    since: WallTime?, until: WallTime?, groupedBy label: String?
  ) throws -> any SampleSource {
    fleet
      ? try fleetReader(run: nil, since: since, until: until, groupedBy: label).reader : try store.reader()
  }

  private func fleetReader(run: String?, since: WallTime?, until: WallTime?, groupedBy label: String?) throws
    -> (
      reader: FleetReader, since: WallTime?
    )
  {
    let since = run == nil && since == nil ? PlaceOptions.usualBeginning(until) : since
    let selection = FleetSelection(
      run: run, since: since, until: until, labels: place.labels, grouping: label)
    return (try FleetReader(try FleetFile.load(place.configurationFile), selection), since)
  }
}

/// An open source, and which rows of it are asked for.
struct ReportSource {
  var reader: any SampleSource
  var selection: RowSelection
  /// The path of a store's file.
  var path: String?
}

/// `region=eu-west`.
enum LabelArgument {
  static func parse(_ text: String) throws -> FleetSelection.Label {
    guard let place = text.firstIndex(of: "="), place > text.startIndex else {
      throw ValidationError("\"\(text)\" is not a label; write its name and value, like region=eu-west")
    }
    return FleetSelection.Label(
      name: String(text[..<place]), value: String(text[text.index(after: place)...]))
  }
}
