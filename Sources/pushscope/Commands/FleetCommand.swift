import ArgumentParser
import Configuration
import Fleet
import Formats
import Measurement
import Store

/// `pushscope fleet`: the database that several collectors forward to.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Set up and look at a ClickHouse that several collectors forward to.",
    discussion: """
      The configuration's section fleet: says where it is. docs/fleet.md begins with an empty server.

      Example: pushscope fleet setup --admin-user default --admin-password-file admin.password
      """,
    subcommands: [Schema.self, Setup.self, Status.self])

  /// The cluster of replicated tables.
  struct ClusterOptions: ParsableArguments {
    @Flag(help: "Replicated tables, divided over the shards of a cluster.")
    var replicated = false

    @Option(
      help: ArgumentHelp(
        "The cluster's name in the server's configuration, with --replicated.", valueName: "name"))
    var cluster: String?

    func validate() throws {
      if replicated != (cluster != nil) {
        throw ValidationError("give --replicated and --cluster NAME together, or neither")
      }
    }
  }

  struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print tables, views and grants as SQL.",
      discussion: """
        What setup does, for those who would rather do it themselves. Names come from the configuration, if there is one.

        Example: pushscope fleet schema --replicated --cluster main > pushscope.sql
        """)

    @OptionGroup var configurationFile: ConfigurationOption
    @OptionGroup var cluster: ClusterOptions

    func run() throws {
      let fleet = try configurationFile.existingPath.flatMap {
        try PushscopeConfiguration.loadFleet(path: $0, environment: ProcessEnvironment.all)
      }
      let schema = FleetSchema(
        FleetLayout(database: fleet?.database ?? "pushscope", cluster: cluster.cluster))
      try ReportRun.write(
        lines: [
          schema.text(
            writer: fleet?.writer?.name ?? "pushscope_writer",
            reader: fleet?.reader?.name ?? "pushscope_reader")
        ])
    }
  }

  struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make database, tables, views and users, or bring those of an older version up.",
      discussion: """
        May be repeated: what is there already stays, and what is missing is made again. The administrator is stored nowhere. Rows of runs that were deleted on their \
        collectors, invisible until then, are deleted.

        Example: pushscope fleet setup --admin-user default --admin-password-file admin.password
        """)

    @OptionGroup var configurationFile: ConfigurationOption
    @OptionGroup var cluster: ClusterOptions

    @Option(help: ArgumentHelp("A user that may make databases and users.", valueName: "name"))
    var adminUser = "default"

    @Option(
      help: ArgumentHelp(
        "The file with that user's password; without it the password is empty.", valueName: "file"))
    var adminPasswordFile: String?

    @Flag(help: "Leave the users and their rights alone.")
    var noUsers = false

    func run() throws {
      let fleet = try FleetFile.load(configurationFile)
      let setup = try FleetSetup(
        fleet,
        administrator: .init(name: adminUser, passwordFile: adminPasswordFile.map { SecretFile(path: $0) }),
        cluster: cluster.cluster, clock: SystemClock())
      let outcome = try setup.run(makesUsers: !noUsers)
      let database =
        "database \(fleet.database) of fleet \(outcome.id) (ClickHouse \(EscapedText.make(outcome.engine)))"
      try StandardOutput.writeLine(
        outcome.versionBefore == FleetSchema.version
          ? "\(database) is set up already: schema version \(outcome.versionBefore)"
          : "\(database): schema version \(FleetSchema.version), before \(outcome.versionBefore == 0 ? "none" : "\(outcome.versionBefore)")"
      )
      if !outcome.users.isEmpty {
        try StandardOutput.writeLine("users: \(outcome.users.joined(separator: ", "))")
      }
      if !outcome.existingUsers.isEmpty {
        try StandardOutput.writeLine(
          "\(outcome.existingUsers.joined(separator: ", ")): was there already, with its password as it was")
      }
      if outcome.purgedRuns > 0 {
        try StandardOutput.writeLine(
          "\(CountText.text(outcome.purgedRuns, "deleted run")): rows are being removed")
      }
    }
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what the fleet has of each collector, and what this store has not forwarded yet.",
      discussion: """
        Reads as the user fleet.reader. The lag is the age of a collector's newest notification.

        Example: pushscope fleet status
        """)

    @OptionGroup var configurationFile: ConfigurationOption
    @OptionGroup var store: StoreOption

    func run() throws {
      let fleet = try FleetFile.load(configurationFile)
      let local = try? store.reader()
      let status: FleetStatus
      do {
        status = try FleetStatus.fetch(fleet)
      } catch {
        // What waits here is known without an answer.
        if let local { try say(local, of: nil) }
        throw error
      }
      if let local { try say(local, of: status.id) }
      try ReportRun.write(lines: [
        "fleet \(EscapedText.make(status.id)), ClickHouse \(EscapedText.make(status.engine)), \(status.clockText)"
      ])
      var table = TextTable([
        .init("collector"), .init("labels"), .init("runs", .right), .init("notifications", .right),
        .init("newest"), .init("lag", .right),
      ])
      for collector in status.collectors {
        let lag = collector.newest.map { LengthText.text(status.now - $0) }
        table.append([
          EscapedText.make(collector.id), EscapedText.make(collector.labels),
          CountText.grouped(collector.runs),
          CountText.grouped(collector.notifications), collector.newest?.rfc3339 ?? "", lag ?? "",
        ])
      }
      try ReportRun.write(lines: table.lines())
    }

    /// - Parameter fleet: its id; `nil` where it did not answer.
    private func say(_ local: StoreReader, of fleet: String?) throws {
      let backlog = try local.forwardBacklog(of: fleet)
      let time = fleet == nil ? ", as of the last answer" : ""
      try StandardOutput.writeLine(
        backlog == 0
          ? "\(local.path): all rows are forwarded\(time)"
          : "\(local.path): \(CountText.text(backlog, "row")) not forwarded yet\(time)")
    }
  }
}

/// The section `fleet:` of the configuration.
enum FleetFile {
  /// - Throws: ``CommandFailure`` when there is none.
  static func load(_ option: ConfigurationOption) throws -> FleetConfiguration {
    let path = try option.path()
    guard let fleet = try PushscopeConfiguration.loadFleet(path: path, environment: ProcessEnvironment.all)
    else {
      throw CommandFailure(
        "\(path) has no section fleet:; add one with url, writer and reader (docs/fleet.md)",
        exitStatus: .configuration)
    }
    return fleet
  }
}
