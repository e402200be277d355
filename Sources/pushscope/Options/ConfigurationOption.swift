import ArgumentParser
import Configuration

/// `--config FILE`, for every command that needs the configuration.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The configuration file.",
      discussion:
        "Default: $XDG_CONFIG_HOME/pushscope/pushscope.yaml, then /etc/pushscope/pushscope.yaml.",
      valueName: "file"))
  var file: String?

  /// The file to read: the one named, else the first default that exists, else the user's own (whose absence is then
  /// reported by name).
  var path: String {
    if let file { return file }
    let candidates = PushscopeConfiguration.defaultPaths(environment: ProcessEnvironment.all)
    return candidates.first(where: DefaultPath.exists) ?? candidates[0]
  }
}
