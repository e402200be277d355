import ArgumentParser
import Report
import Store

struct Runs: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The runs a store holds.",
    discussion: "Example: pushscope runs show latest",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "One line a run, oldest first.", discussion: "Example: pushscope runs list")

    @OptionGroup var store: StoreOption

    func run() throws {
      let reader = try StoreReader.open(at: store.path)
      try ReportRun.write(lines: RunsReport.list(reader))
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "All that is known of a run.", discussion: "Example: pushscope runs show latest")

    @Argument(help: ArgumentHelp("Its UUID or the beginning of it, its name, or latest.", valueName: "run"))
    var wanted: String

    @OptionGroup var store: StoreOption

    func run() throws {
      let reader = try StoreReader.open(at: store.path)
      try ReportRun.write(lines: RunsReport.show(RunFinder.find(wanted, in: reader), in: reader))
    }
  }
}
