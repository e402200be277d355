import ArgumentParser
import Configuration
import Measurement
import Report
import Store
import TUI

struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard",
    abstract: "Show a store: live while a collector writes it, or past runs.",
    discussion: """
      A scatter plot of every notification, with histogram, log, events and runs below. Press ? for the keys and : to find \
      a command. The configuration's section dashboard sets keys, theme and more. Without a terminal, or with --plain, it \
      prints lines of at most 100 columns.

      Example: pushscope dashboard --target ios --since -2h --window 10m --panel findings
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var configuration: ConfigurationOption

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
  }

  func run() async throws {
    try DashboardRun.open(
      store: store.path(for: .reading), run: wantedRun, target: target, theme: theme, isASCII: ascii,
      isPlain: plain || once || every != nil, configuration: configuration
    ) { options in
      (options.since, options.until) = (since?.time, until?.time)
      (options.window, options.panel) = (window?.duration, panel)
      options.plainOnce = once
      if let every { options.plainInterval = every.duration }
    }
  }
}

extension DashboardPanel: ExpressibleByArgument {}

/// Opens the dashboard on a store.
enum DashboardRun {
  /// Shows it until the user quits. Blocks the calling thread.
  static func open(
    store: String, run: String? = nil, target: String? = nil, theme: String? = nil, isASCII: Bool = false,
    isPlain: Bool = false, configuration: ConfigurationOption? = nil,
    _ change: (inout Dashboard.Options) -> Void = { _ in }
  ) throws {
    var options = Dashboard.Options(storePath: store, environment: ProcessEnvironment.all)
    if let configuration { options.configuration = try section(of: configuration) }
    if let run {
      let reader = try StoreOption.reader(at: store)
      options.run = try RunFinder.find(run, in: reader).id
    }
    options.target = target
    options.theme = theme
    options.ascii = isASCII
    options.plain = isPlain
    change(&options)
    options.writeSamples = { ids, sink in
      let reader = try StoreReader.open(at: store)
      defer { reader.close() }
      try Exporter(reader: reader).exportSamples(withIDs: ids, of: reader, to: sink)
    }
    _ = try Dashboard.run(options)
  }

  /// The dashboard's section of the configuration. Without --config the file may be missing.
  private static func section(of option: ConfigurationOption) throws -> DashboardConfiguration {
    guard let path = option.existingPath else { return DashboardConfiguration() }
    return try DashboardConfiguration.load(path: path, environment: ProcessEnvironment.all)
  }
}
