import ArgumentParser
import Foundation
import Measurement
import Report
import Store

struct Runs: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The runs a store holds.",
    discussion: "Example: pushscope runs show latest",
    subcommands: [List.self, Show.self, Rename.self, Delete.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "One line a run, oldest first.", discussion: "Example: pushscope runs list")

    @OptionGroup var store: StoreOption

    func run() throws {
      let reader = try store.reader()
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
      let reader = try store.reader()
      try ReportRun.write(lines: RunsReport.show(RunFinder.find(wanted, in: reader), in: reader))
    }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a run another name.",
      discussion: """
        Works while a collector is at work on the store too: it is asked to do it.

        Example: pushscope runs rename latest "before the rollout"
        """)

    @Argument(help: ArgumentHelp("Its UUID or the beginning of it, its name, or latest.", valueName: "run"))
    var wanted: String

    @Argument(help: ArgumentHelp("The new name; \"\" for none.", valueName: "name"))
    var name: String

    @OptionGroup var store: StoreOption

    func validate() throws {
      try RunNameArgument.check(name, as: "the new name")
    }

    func run() throws {
      let path = try store.path(for: .writing)
      let run = try RunFinder.find(wanted, in: StoreReader.open(at: path))
      try ControlRun.carryOut(
        .rename(run.id, name: name.isEmpty ? nil : name), store: path, within: 10)
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a run out of the store with all that was recorded of it.",
      discussion: """
        It cannot be undone. The file keeps its size; later runs use the room. Works while a collector is at work on the \
        store too, but not on the run that is being recorded.

        Example: pushscope runs delete 01a20048 --yes
        """)

    @Argument(help: ArgumentHelp("Its UUID or the beginning of it, its name, or latest.", valueName: "run"))
    var wanted: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var store: StoreOption

    func run() throws {
      let path = try store.path(for: .writing)
      let run = try RunFinder.find(wanted, in: StoreReader.open(at: path))
      if !yes { try ask(run) }
      try ControlRun.carryOut(.delete(run.id), store: path, within: nil)
    }

    private func ask(_ run: RunRecord) throws {
      guard isatty(STDIN_FILENO) == 1 else {
        throw CommandFailure(
          "deleting run \(run.id) cannot be undone; give --yes to do it without being asked",
          exitStatus: .usage)
      }
      StandardError.write(
        "Delete run \(run.id) with its \(CountText.text(run.counts.planned, "notification")) for good? Type yes:"
      )
      guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
        throw CommandFailure("nothing was deleted", exitStatus: .failed)
      }
    }
  }
}
