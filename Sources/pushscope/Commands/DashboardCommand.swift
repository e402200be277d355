import ArgumentParser
import Configuration
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
      prints lines.

      Example: pushscope dashboard --target ios
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
    help: ArgumentHelp(
      "dark, light, colour-blind, a theme in themes/ beside the configuration, or a theme file.",
      valueName: "name|file"))
  var theme: String?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Flag(help: "Print lines instead of drawing a screen, for pipes and screen readers.")
  var plain = false

  func run() async throws {
    try DashboardRun.open(
      store: store.path(for: .reading), run: wantedRun, target: target, theme: theme, isASCII: ascii,
      isPlain: plain,
      configuration: configuration)
  }
}

/// Opens the dashboard on a store.
enum DashboardRun {
  /// Shows it until the user quits. Blocks the calling thread.
  static func open(
    store: String, run: String? = nil, target: String? = nil, theme: String? = nil, isASCII: Bool = false,
    isPlain: Bool = false, configuration: ConfigurationOption? = nil
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
    options.writeSamples = { ids, sink in
      let reader = try StoreReader.open(at: store)
      defer { reader.close() }
      try Exporter(reader: reader).exportSamples(withIDs: ids, to: sink)
    }
    _ = try Dashboard.run(options)
  }

  /// The dashboard's section of the configuration. Without --config the file may be missing.
  private static func section(of option: ConfigurationOption) throws -> DashboardConfiguration {
    guard let path = option.existingPath else { return DashboardConfiguration() }
    return try DashboardConfiguration.load(path: path, environment: ProcessEnvironment.all)
  }
}
