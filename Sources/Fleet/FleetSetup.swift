import Configuration
import Crypto
import FoundationEssentials
import Measurement

/// Makes a fleet's database, or brings one of an older version up.
public struct FleetSetup {
  private let fleet: FleetConfiguration
  private let layout: FleetLayout
  private let client: EngineClient
  private let clock: any HostClock

  /// What was set up.
  public struct Outcome: Sendable, Equatable {
    public var id: String
    /// Of the schema; 0 for a new database.
    public var versionBefore: Int64
    public var engine: String
    /// Names of users; those that existed are as they were.
    public var users: [String] = []
    /// Runs that were deleted on their collectors, and whose rows are being deleted here.
    public var purgedRuns = 0
  }

  /// - Parameter administrator: makes databases, tables and users.
  /// - Throws: ``FleetError``
  public init(
    _ fleet: FleetConfiguration, administrator: FleetConfiguration.User, cluster: String?,
    clock: any HostClock
  ) throws(FleetError) {
    self.fleet = fleet
    layout = FleetLayout(database: fleet.database, cluster: cluster)
    client = try EngineClient(fleet, as: administrator)
    self.clock = clock
  }

  /// - Parameter makesUsers: whether to make the configuration's users and give them their rights.
  /// - Throws: ``FleetError``. What was done before is done, and is not done again.
  public func run(makesUsers: Bool) throws(FleetError) -> Outcome {
    try run(makesUsers: makesUsers, acceptsLegacy: false)
  }

  /// - Parameter acceptsLegacy: whether a server that is too old gets a reduced schema, for tests and benchmarks.
  package func run(makesUsers: Bool, acceptsLegacy: Bool) throws(FleetError) -> Outcome {
    let dialect = try checkEngine(acceptsLegacy: acceptsLegacy)
    let schema = FleetSchema(layout, dialect)
    for statement in schema.opening { try client.run(statement) }
    let before = try FleetIdentity.look(client, database: layout.database)
    guard before.version <= FleetSchema.version else {
      _ = try FleetIdentity.fetch(client, database: layout.database)
      return Outcome(id: before.id, versionBefore: before.version, engine: before.engine)
    }
    let id = before.version == 0 ? UUID().uuidString.lowercased() : before.id
    for (index, statements) in schema.migrations.enumerated() where index >= before.version {
      for statement in statements { try client.run(statement) }
      try client.run(schema.note(version: Int64(index + 1), fleet: id, at: clock.wallNow()))
    }
    for view in schema.views { try client.run(view) }
    let after = try FleetIdentity.fetch(client, database: layout.database)
    var outcome = Outcome(id: after.id, versionBefore: before.version, engine: after.engine)
    if makesUsers { outcome.users = try makeUsers(schema) }
    outcome.purgedRuns = try purge()
    return outcome
  }

  /// The types and settings that the tables need.
  private func checkEngine(acceptsLegacy: Bool) throws(FleetError) -> EngineDialect {
    let version = try client.rows("SELECT version()").first?.first ?? ""
    let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
    if acceptsLegacy { return EngineDialect(version: version) }
    guard numbers.count == 2, (numbers[0], numbers[1]) >= (23, 10) else {
      throw FleetError(
        .oldEngine, place: client.place,
        detail: "the engine is version \(EscapedText.make(String(version.prefix(40))))")
    }
    return .current
  }

  private func makeUsers(_ schema: FleetSchema) throws(FleetError) -> [String] {
    guard let writer = fleet.writer, let reader = fleet.reader else {
      throw FleetError(
        .denied, place: client.place,
        detail: "fleet.writer and fleet.reader are needed to make both users; or give --no-users")
    }
    for (user, isReader) in [(writer, false), (reader, true)] {
      try client.run(schema.user(user.name, passwordHash: try hash(of: user), isReader: isReader))
    }
    for grant in schema.grants(writer: writer.name, reader: reader.name) { try client.run(grant) }
    return [writer.name, reader.name]
  }

  private func hash(of user: FleetConfiguration.User) throws(FleetError) -> String {
    guard let file = user.passwordFile else {
      throw FleetError(
        .unusablePassword, place: client.place,
        detail:
          "fleet: \(user.name) has no password_file, and a user is made with a password; add one, or give --no-users"
      )
    }
    do throws(FileReadError) {
      return HexText.make(SHA256.hash(data: Data(try file.read())))
    } catch {
      throw FleetError(.unusablePassword, place: client.place, detail: "\(error)")
    }
  }

  /// How many runs are deleted at a time; more go the next time.
  private static let purgedAtATime = 500

  /// Rows of deleted runs are invisible in the views at once; here they are deleted, which only an administrator may do.
  private func purge() throws(FleetError) -> Int {
    let runs = try client.rows(
      "SELECT DISTINCT toString(collector), toString(run) FROM \(layout.name("run")) WHERE (collector, run) "
        + "\(layout.cluster == nil ? "IN" : "GLOBAL IN") (SELECT collector, run FROM \(layout.name("tombstone"))) "
        + "LIMIT \(Self.purgedAtATime)"
    ).filter { $0.count == 2 }
    guard !runs.isEmpty else { return 0 }
    // Written out: replicas refuse a subquery here, whose answers may differ.
    let list = runs.map { "(toUUID(\(EngineText.quoted($0[0]))), toUUID(\(EngineText.quoted($0[1]))))" }
      .joined(separator: ", ")
    let suffix = layout.cluster == nil ? "" : "_local"
    for table in FleetSchema.tablesOfRuns {
      let words = [
        "ALTER TABLE \(layout.name(table + suffix))", layout.onCluster,
        "DELETE WHERE (collector, run) IN (\(list))",
      ]
      try client.run(words.filter { !$0.isEmpty }.joined(separator: " "))
    }
    return runs.count
  }
}
