import ArgumentParser

/// `--store FILE`, for every command that reads or writes one.
struct StoreOption: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file.", discussion: "Default: $XDG_DATA_HOME/pushscope/pushscope.sqlite.",
      valueName: "file"))
  var file: String?

  var path: String { file ?? DefaultPath.store(in: ProcessEnvironment.all) }
}
