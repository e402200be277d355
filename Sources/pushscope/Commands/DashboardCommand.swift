import ArgumentParser
import Configuration
import Fleet
import Glibc
import Measurement
import Report
import Store
import TUI

struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard",
    abstract: "Show a store or a fleet: live while a collector writes, or past runs.",
    discussion: """
      A scatter plot of every notification, with histogram, log, events and runs below. Press ? for the keys and : to find \
      a command. The configuration's section dashboard sets keys, theme and more. Without a terminal, or with --plain, it \
      prints lines of at most 100 columns.

      With --fleet it shows the runs of all collectors, one at a time, from the engine that they forward to. It is only read.

      Example: pushscope dashboard --target ios --since -2h --window 10m --panel findings
      Example: pushscope dashboard --fleet --label region=eu-west
      """)

  @OptionGroup var place: PlaceOptions

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "Show this run instead of the newest: its UUID, a prefix of it, or its name.", valueName: "run"))
  var wantedRun: String?

  @Option(help: ArgumentHelp("Show this target only.", valueName: "name"))
  var target: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Open with this time: 2026-03-01T12:00:00Z, a date (both UTC without a zone), or -1h.",
      valueName: "time"),
    transform: TimeArgument.parse)
  var since: TimeArgument?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Open with the time up to here: the same forms, like -5m.", valueName: "time"),
    transform: TimeArgument.parse)
  var until: TimeArgument?

  @Option(
    help: ArgumentHelp("Open with so much time in view, like 10m.", valueName: "duration"),
    transform: DurationArgument.parse)
  var window: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Open with this panel: \(DashboardPanel.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "name"))
  var panel: DashboardPanel?

  @Option(
    help: ArgumentHelp(
      "dark, light, colour-blind, a theme in themes/ beside the configuration, or a theme file.",
      valueName: "name|file"))
  var theme: String?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Flag(help: "Print lines instead of drawing a screen, for pipes and screen readers.")
  var plain = false

  @Flag(help: "Print one report and end; implies --plain.")
  var once = false

  @Option(
    help: ArgumentHelp(
      "Print a report this often (default: 1s); implies --plain.", valueName: "duration"),
    transform: DurationArgument.parse)
  var every: DurationArgument?

  func validate() throws {
    try window?.checkLength(as: "--window")
    try every?.checkLength(as: "--every")
    if once, every != nil {
      throw ValidationError("--once prints one report and --every many; give one of them")
    }
    if let since, let until, since.time >= until.time {
      throw ValidationError(
        "--since \(since.time.rfc3339) is not before --until \(until.time.rfc3339); no time is between them")
    }
    if since != nil, until != nil, window != nil {
      throw ValidationError("--since, --until and --window say two lengths; give two of them")
    }
    if isPlain, since != nil || until != nil || window != nil || panel != nil {
      throw ValidationError(
        "--since, --until, --window and --panel say what a screen opens with; without one, figures of a time are those of "
          + "pushscope summary --since")
    }
  }

  /// Lines instead of a screen.
  private var isPlain: Bool { plain || once || every != nil || isatty(STDOUT_FILENO) != 1 }

  func run() async throws {
    if !isPlain { CrashReports.begin() }
    let run = DashboardRun(
      target: target, theme: theme, isASCII: ascii, isPlain: isPlain,
      configuration: place.configurationFile)
    if place.fleet {
      try run.open(fleet: place, run: wantedRun, since: since?.time, change)
    } else {
      try run.open(store: place.store.path(for: .reading), run: wantedRun, change)
    }
  }

  private func change(_ options: inout Dashboard.Options) {
    (options.since, options.until) = (since?.time, until?.time)
    (options.window, options.panel) = (window?.duration, panel)
    options.plainOnce = once
    if let every { options.plainInterval = every.duration }
  }
}

extension DashboardPanel: ExpressibleByArgument {}

/// Opens the dashboard on a store or a fleet.
struct DashboardRun {
  var target: String?
  var theme: String?
  var isASCII = false
  var isPlain = false
  var configuration: ConfigurationOption?

  /// Shows a store until the user quits. Blocks the calling thread.
  func open(
    store: String, run: String? = nil, _ change: (inout Dashboard.Options) -> Void = { _ in }
  ) throws {
    let id = try run.map { try RunFinder.find($0, in: StoreOption.reader(at: store)).id }
    try open(.store(store), run: id, change)
  }

  /// The same of a fleet.
  func open(
    fleet place: PlaceOptions, run: String?, since: WallTime?, _ change: (inout Dashboard.Options) -> Void
  ) throws {
    let fleet = try FleetFile.load(place.configurationFile)
    var selection = FleetSelection(run: run, labels: place.labels)
    let numbers = FleetNumbers()
    var id: RunID?
    if run != nil {
      id = try FleetReader(fleet, selection, numbers: numbers).selectedRuns.first
      // Another run may get the same name later.
      selection.run = id?.description
    } else {
      selection.recordedSince = min(since ?? .distantFuture, PlaceOptions.usualBeginning(nil))
      // Without a screen that could wait for it, an engine that does not answer is said at once.
      if isPlain { _ = try FleetReader(fleet, selection, numbers: numbers) }
    }
    let name = "\(fleet.urls.first?.origin ?? "")/\(fleet.database)"
    let chosen = selection
    try open(.fleet(name) { try FleetReader(fleet, chosen, numbers: numbers) }, run: id, change)
  }

  private func open(
    _ place: DashboardPlace, run: RunID?, _ change: (inout Dashboard.Options) -> Void
  ) throws {
    var options = Dashboard.Options(place, environment: ProcessEnvironment.all)
    if let configuration { options.configuration = try Self.section(of: configuration) }
    options.run = run
    options.target = target
    options.theme = theme
    options.ascii = isASCII
    options.plain = isPlain
    change(&options)
    options.writeSamples = { ids, sink in
      let source = try place.open()
      defer { source.close() }
      try Exporter(reader: source).exportSamples(withIDs: ids, of: source, to: sink)
    }
    _ = try Dashboard.run(options)
  }

  /// The dashboard's section of the configuration. Without --config the file may be missing.
  private static func section(of option: ConfigurationOption) throws -> DashboardConfiguration {
    guard let path = option.existingPath else { return DashboardConfiguration() }
    return try DashboardConfiguration.load(path: path, environment: ProcessEnvironment.all)
  }
}
