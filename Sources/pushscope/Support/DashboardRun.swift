import Configuration
import Report
import Store
import TUI

/// Opens the dashboard on a store.
enum DashboardRun {
  /// Shows it until somebody ends it. Blocks the calling thread.
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

  /// The dashboard's section of the configuration. A file that nobody named need not be there.
  private static func section(of option: ConfigurationOption) throws -> DashboardConfiguration {
    guard let path = option.existingPath else { return DashboardConfiguration() }
    return try DashboardConfiguration.load(path: path, environment: ProcessEnvironment.all)
  }
}
