import ArgumentParser
import Foundation
import Measurement
import Report
import Store

struct Runs: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, show, rename and delete the runs of a store.",
    discussion: "Example: pushscope runs show latest",
    subcommands: [List.self, Show.self, Rename.self, Delete.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the runs, one line each, oldest first.",
      discussion: """
        With --fleet: the runs of all collectors of the last 24 hours, or from --since on; the counts are of that time.

        Example: pushscope runs list
        Example: pushscope runs list --fleet --label region=eu-west --since -30d
        """)

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "With --fleet: planned at or after: a time like 2026-03-01T12:00:00Z, a date (both UTC without a zone), or -30d.",
        valueName: "time"),
      transform: TimeArgument.parse)
    var since: TimeArgument?

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("With --fleet: planned before: the same forms.", valueName: "time"),
      transform: TimeArgument.parse)
    var until: TimeArgument?

    @OptionGroup var source: SourceOptions

    func validate() throws {
      if since != nil || until != nil, !source.fleet {
        throw ValidationError("--since and --until select a fleet's runs; give --fleet, too")
      }
      if let since, let until, since.time >= until.time {
        throw ValidationError(
          "--since \(since.time.rfc3339) is not before --until \(until.time.rfc3339); no time is between them"
        )
      }
    }

    func run() throws {
      let reader = try source.reader(since: since?.time, until: until?.time)
      let isNone = try source.fleet && reader.runs().isEmpty
      try ReportRun.write(lines: isNone ? [none] : RunsReport.list(reader, at: SystemClock().wallNow()))
    }

    /// That there are none, of which time, and how to see others.
    private var none: String {
      let time =
        switch (since?.time, until?.time) {
        case (nil, nil): "in the last 24 hours"
        case (nil, let until?): "in the 24 hours before \(until.rfc3339)"
        case (let since?, nil): "since \(since.rfc3339)"
        case (let since?, let until?): "from \(since.rfc3339) to \(until.rfc3339)"
        }
      return "no runs \(time)\(source.place.labelText); --since looks further back, like --since -30d"
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show everything about a run.",
      discussion: """
        States, rates, quantiles and the share in time of each target, and the collector's own error. pushscope summary has \
        more quantiles.

        Example: pushscope runs show latest
        Example: pushscope runs show latest --fleet --label region=eu-west
        """)

    @Argument(help: RunChoice.help)
    var wanted: String

    @OptionGroup var place: PlaceOptions

    @OptionGroup var intervals: IntervalOptions

    func run() throws {
      let (run, reader) = try place.find(run: wanted)
      try ReportRun.write(
        lines: RunsReport.show(run, in: reader, method: intervals.method, at: SystemClock().wallNow()))
    }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rename a run.",
      discussion: """
        A collector that has the store carries it out.

        Example: pushscope runs rename latest "before the rollout"
        """)

    @OptionGroup var choice: RunChoice

    @Argument(help: ArgumentHelp("The new name; \"\" for none.", valueName: "name"))
    var name: String

    func validate() throws {
      try RunNameArgument.check(name, as: "the new name")
    }

    func run() throws {
      let (run, reader) = try choice.find(for: .changing)
      try ControlRun.carryOut(
        .rename(run.id, name: name.isEmpty ? nil : name), store: reader.path, within: 10)
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a run and everything that it recorded.",
      discussion: """
        It cannot be undone. The file keeps its size; later runs use the space. A collector that has the store carries it \
        out, except for the run that is being recorded.

        Example: pushscope runs delete 01a20048 --yes
        """)

    @OptionGroup var choice: RunChoice

    @Flag(help: "Delete without asking.")
    var yes = false

    func run() throws {
      let (run, reader) = try choice.find(for: .changing)
      if !yes { try ask(run) }
      try ControlRun.carryOut(.delete(run.id), store: reader.path, within: nil)
    }

    private func ask(_ run: RunRecord) throws {
      guard isatty(STDIN_FILENO) == 1 else {
        throw CommandFailure(
          "deleting run \(run.id) cannot be undone; give --yes to delete it without being asked",
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

/// One run of a store.
struct RunChoice: ParsableArguments {
  static let help = ArgumentHelp("The run's UUID, a prefix of it, its name, or latest.", valueName: "run")

  @Argument(help: Self.help)
  var wanted: String

  @OptionGroup var store: StoreOption

  /// - Returns: the run, and its store.
  /// - Throws: ``CommandFailure``, `ReportError`, `StoreError`.
  func find(for purpose: DefaultPath.Purpose) throws -> (run: RunRecord, reader: StoreReader) {
    let reader = try store.reader(for: purpose)
    return (try RunFinder.find(wanted, in: reader), reader)
  }
}

/// Carries out a command on a store: by the collector that has it, or in this process.
enum ControlRun {
  /// How often the answer is looked for.
  private static let interval: TimeInterval = 0.05

  /// Waits until the command is done.
  /// - Parameter limit: how long a collector may take to answer, in seconds; `nil` for no limit while it is alive.
  /// - Throws: ``CommandFailure`` with the collector's reason, `StoreError`.
  static func carryOut(_ command: ControlCommand, store path: String, within limit: TimeInterval?) throws {
    let client = ControlClient(storePath: path, clock: SystemClock())
    let submission = try client.submit(command)
    let start = ProcessInfo.processInfo.systemUptime
    while true {
      switch try client.outcome(of: submission) {
      case .done: return
      case .refused(let reason): throw CommandFailure("\(path): \(reason)", exitStatus: .failed)
      case .waiting: break
      }
      if let limit, ProcessInfo.processInfo.systemUptime - start > limit {
        throw CommandFailure(
          "the collector that uses \(path) does not answer; it carries the command out once it goes on; see whether it is stopped (pushscope status)",
          exitStatus: .unavailable)
      }
      Thread.sleep(forTimeInterval: interval)
    }
  }
}
