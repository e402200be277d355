import Configuration
import Cryptography
import FoundationEssentials
import Measurement

/// Makes a fleet's database, or brings one of an older version up.
public struct FleetSetup {
  private let fleet: FleetConfiguration
  private let administrator: String
  private let layout: FleetLayout
  private let client: EngineClient
  private let clock: any HostClock

  /// What was set up.
  public struct Outcome: Sendable, Equatable {
    public var id: String
    /// The schema's version before the setup; 0 for a new database.
    public var versionBefore: Int64
    public var engine: String
    /// Names of the writer and the reader, which have their rights; empty where they were left alone.
    public var users: [String] = []
    /// Those of them that existed: their passwords are as they were.
    public var existingUsers: [String] = []
    /// Runs that were deleted on their collectors, and whose rows are being deleted here.
    public var purgedRuns = 0
  }

  /// A user that is made.
  private struct NewUser {
    var name: String
    var passwordHash: String
    var isReader: Bool
  }

  /// - Parameter administrator: makes databases, tables and users.
  /// - Throws: ``FleetError``
  public init(
    _ fleet: FleetConfiguration, administrator: FleetConfiguration.User, cluster: String?,
    clock: any HostClock
  ) throws(FleetError) {
    self.fleet = fleet
    self.administrator = administrator.name
    layout = FleetLayout(database: fleet.database, cluster: cluster)
    client = try EngineClient(fleet, as: administrator)
    self.clock = clock
  }

  /// - Parameter makesUsers: whether to make the configuration's users and give them their rights.
  /// - Throws: ``FleetError``. What was done before is done, and is not done again.
  public func run(makesUsers: Bool) throws(FleetError) -> Outcome {
    try run(makesUsers: makesUsers, translating: nil)
  }

  /// - Parameter translate: gives the schema's statements for a server that is too old, for tests and benchmarks; `nil` for one that it
  ///   does not know.
  package func run(makesUsers: Bool, translating translate: ((String) -> String?)?) throws(FleetError)
    -> Outcome
  {
    // What is wrong with them is said before anything is made.
    let users = try makesUsers ? newUsers() : []
    try checkEngine(acceptsAny: translate != nil)
    let schema = FleetSchema(layout)
    func run(_ statements: [String]) throws(FleetError) {
      for statement in statements {
        if let statement = translate.map({ $0(statement) }) ?? statement { try client.run(statement) }
      }
    }
    try run(schema.opening)
    let before = try FleetIdentity.readUnchecked(client, database: layout.database)
    guard before.version <= FleetSchema.version else {
      _ = try FleetIdentity.fetch(client, database: layout.database)
      return Outcome(id: before.id, versionBefore: before.version, engine: before.engine)
    }
    let id = before.version == 0 ? UUID().uuidString.lowercased() : before.id
    for (index, migration) in schema.migrations.enumerated() {
      // Those of former versions, too: a table that was dropped is made again.
      try run(migration.definitions)
      guard index >= before.version else { continue }
      try run(migration.backfill)
      try client.run(schema.versionStatement(Int64(index + 1), fleet: id, at: clock.wallNow()))
    }
    try run(schema.views)
    let after = try FleetIdentity.fetch(client, database: layout.database)
    var outcome = Outcome(id: after.id, versionBefore: before.version, engine: after.engine)
    if !users.isEmpty {
      outcome.users = users.map(\.name)
      outcome.existingUsers = try make(users, schema)
    }
    outcome.purgedRuns = try purge()
    return outcome
  }

  /// The types and settings that the tables need.
  private func checkEngine(acceptsAny: Bool) throws(FleetError) {
    let version = try client.rows("SELECT version()").first?.first ?? ""
    let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
    let shown = EscapedText.make(String(version.prefix(40)))
    guard numbers.count == 2 else {
      let answer = shown.isEmpty ? "nothing" : "\"\(shown)\""
      throw FleetError.unexpectedAnswer(
        "this is no ClickHouse: asked for its version, it answers \(answer)", place: client.place)
    }
    guard acceptsAny || (numbers[0], numbers[1]) >= (23, 10) else {
      throw FleetError(.oldEngine, place: client.place, detail: "the engine is version \(shown)")
    }
  }

  /// The configuration's users, with their passwords read.
  private func newUsers() throws(FleetError) -> [NewUser] {
    guard let writer = fleet.writer, let reader = fleet.reader else {
      let missing = fleet.writer == nil ? "writer" : "reader"
      throw FleetError(
        .denied, place: client.place,
        detail: "fleet.\(missing) is not configured, and setup makes both users",
        remedy: "add fleet.\(missing) with user and password_file, or give --no-users")
    }
    guard writer.name != reader.name else {
      throw FleetError(
        .denied, place: client.place,
        detail: "fleet.writer and fleet.reader are one user, \(writer.name), and setup makes two",
        remedy: "give reader a user of its own, or give --no-users")
    }
    return [
      NewUser(name: writer.name, passwordHash: try hash(of: writer), isReader: false),
      NewUser(name: reader.name, passwordHash: try hash(of: reader), isReader: true),
    ]
  }

  /// The hash of the password as the user will send it.
  private func hash(of user: FleetConfiguration.User) throws(FleetError) -> String {
    let password: String?
    do throws(FleetPasswordError) {
      password = try user.password()
    } catch {
      throw FleetError(.unusablePassword, place: client.place, detail: "\(error)")
    }
    guard let password else {
      throw FleetError(
        .unusablePassword, place: client.place,
        detail:
          "fleet: \(user.name) has no password_file, and a user is made with a password; add one, or give --no-users"
      )
    }
    return HexText.make(SHA256.hash(Array(password.utf8)))
  }

  /// Makes those that are missing, and gives all of them their rights.
  /// - Returns: the names of those that existed.
  private func make(_ users: [NewUser], _ schema: FleetSchema) throws(FleetError) -> [String] {
    do throws(FleetError) {
      let names = users.map { EngineText.quoted($0.name) }.joined(separator: ", ")
      let existing = try client.rows("SELECT name FROM system.users WHERE name IN (\(names)) ORDER BY name")
      for user in users {
        try client.run(schema.user(user.name, passwordHash: user.passwordHash, isReader: user.isReader))
      }
      for grant in schema.grants(writer: users[0].name, reader: users[1].name) { try client.run(grant) }
      return existing.compactMap(\.first)
    } catch {
      guard error.code == .denied || error.code == .refused else { throw error }
      throw FleetError(
        error.code, place: error.place,
        detail: "tables and views are made, but \(administrator) cannot make users: \(error.detail)",
        remedy:
          "give \(administrator) access_management (users.xml) and run setup again, or make them with the statements of "
          + "pushscope fleet schema and run setup with --no-users")
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
      try client.run(
        EngineText.joined(
          "ALTER TABLE", layout.name(table + suffix), layout.onCluster,
          "DELETE WHERE (collector, run) IN (\(list))"))
    }
    return runs.count
  }
}
