import ArgumentParser
import Configuration

/// `--config FILE`, for every command that needs the configuration.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The configuration file.",
      discussion:
        "Default: $XDG_CONFIG_HOME/pushscope/pushscope.yaml (~/.config/pushscope/pushscope.yaml where the variable is not "
        + "set), then /etc/pushscope/pushscope.yaml.",
      valueName: "file"))
  var file: String?

  /// The file that was named, else the first default that exists; `nil` when there is none.
  var existingPath: String? {
    file
      ?? PushscopeConfiguration.defaultPaths(environment: ProcessEnvironment.all).first(
        where: DefaultPath.exists)
  }

  /// The file to read.
  /// - Throws: ``CommandFailure`` naming every place that was searched.
  func path() throws(CommandFailure) -> String {
    if let existingPath { return existingPath }
    let searched = PushscopeConfiguration.defaultPaths(environment: ProcessEnvironment.all)
    throw CommandFailure(
      "there is no configuration file at \(searched.joined(separator: " or ")); create one of them, or name a file "
        + "with --config", exitStatus: .noInput)
  }
}
