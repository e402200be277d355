import Configuration
import Cryptography
import FoundationEssentials
import Measurement
import Store
import Threads

/// Forwards a store to a fleet, one part after the other. Confined to one thread.
///
/// A row's key makes it the same row in the fleet, and its revision says which of two is the newer one. So nothing is wrong with
/// rows that are sent twice, and the cursor moves only after the engine's answer.
public final class Forwarder {
  private let store: any AnalystStore
  private let reader: StoreReader
  private let client: EngineClient
  private let database: String
  private let configuredPlace: String
  private let progress: WorkProgress
  /// `nil` until the fleet was looked at, and after each failure.
  private var cursor: ForwardCursor?
  private var renumbering: Renumbering?
  /// Whether the engine skips rows whose token came before.
  private var knowsTokens = true

  /// What a step came to.
  public struct Step: Sendable, Equatable {
    /// Sent to the fleet.
    public var rows = 0
    /// Whether there is more to send now.
    public var isMore = false
    /// Rows that were given new revisions, because the store is an older copy of one that was forwarded.
    public var isRenumbering = false
  }

  /// - Parameters:
  ///   - reader: of the same store, for this thread.
  ///   - progress: told the table that is sent.
  ///   - isCancelled: asked about once a second while the engine is waited for, on the same thread.
  /// - Throws: ``FleetError`` when the configuration has no writer.
  public init(
    _ fleet: FleetConfiguration, store: any AnalystStore, reader: StoreReader,
    progress: WorkProgress = .unreported, isCancelled: @escaping () -> Bool = { false }
  ) throws(FleetError) {
    guard let writer = fleet.writer else {
      throw FleetError.missing("writer", "to forward", in: fleet)
    }
    client = try EngineClient(fleet, as: writer, isCancelled: isCancelled)
    database = fleet.database
    configuredPlace = Self.place(of: fleet)
    self.progress = progress
    self.store = store
    self.reader = reader
  }

  /// Where rows are sent at present.
  public var place: String { client.place }

  /// Sends the next rows, or looks at the fleet first.
  /// - Throws: ``FleetError``, `StoreError`. The step is done again by the next one.
  public func step() throws -> Step {
    do {
      return try advance()
    } catch {
      // What answers next may be another server, or a fleet that was made anew.
      cursor = nil
      renumbering = nil
      throw error
    }
  }

  private func advance() throws -> Step {
    if let under = renumbering {
      progress.begin("revisions")
      renumbering = try store.advance(under)
      if renumbering == nil, let cursor { try store.resumeForwarding(cursor.fleet) }
      return Step(isMore: true, isRenumbering: true)
    }
    guard let cursor else {
      try checkFleet()
      return Step(isMore: true)
    }
    let window = try reader.forwardWindow(after: cursor.revision)
    guard !window.isEmpty else { return Step() }
    var step = Step(isMore: window.isMore)
    for table in ForwardedTable.allCases {
      progress.begin(table.rawValue)
      var writer = RowBinaryWriter(table)
      try reader.forward(table, window) { writer.write($0) }
      guard writer.rows > 0 else { continue }
      try send(writer, to: table)
      step.rows += writer.rows
    }
    try store.moveForwardCursor(of: cursor.fleet, to: window.through)
    self.cursor?.revision = window.through
    return step
  }

  private func send(_ rows: RowBinaryWriter, to table: ForwardedTable) throws(FleetError) {
    // From the content: one that came before with other rows would make the engine drop these.
    let hash = SHA256.hash(Array(table.rawValue.utf8), [0], rows.bytes)
    try client.insert(
      rows.bytes, EngineTable(table: table).insert(into: database),
      token: knowsTokens ? HexText.make(hash) : nil)
  }

  /// The servers and the database of a configuration, in a line.
  static func place(of fleet: FleetConfiguration) -> String {
    fleet.urls.map(\.origin).joined(separator: ",") + "/" + fleet.database
  }

  /// Finds out which fleet this is, and whether it has rows of this collector that the store does not know.
  private func checkFleet() throws {
    progress.begin("the fleet's state")
    let fleet = try FleetIdentity.fetch(client, database: database)
    // `insert_deduplication_token` exists from version 22 on.
    knowsTokens = (fleet.engine.split(separator: ".").first.flatMap { Int($0) } ?? 0) >= 22
    let cursor = try store.beginForwarding(to: fleet.id, at: configuredPlace)
    if let openedAt = cursor.openedAt {
      var foreign = try runs(after: openedAt)
      var common = openedAt
      if !foreign.isEmpty {
        common = try commonRevision(after: openedAt)
        if common > openedAt { foreign = try runs(after: common) }
      }
      if let highest = foreign.values.max() {
        renumbering = try store.beginRenumbering(
          after: common, above: highest, runs: Array(foreign.keys))
      } else {
        try store.resumeForwarding(fleet.id)
      }
    }
    self.cursor = cursor
  }

  private var collector: String { store.collectorID.uuidString.lowercased() }

  /// The runs of which the fleet has rows above a revision, each with the highest.
  private func runs(after revision: Int64) throws -> [String: Int64] {
    let newer = ForwardedTable.allCases.map { table in
      "SELECT revision, run FROM \(EngineText.identifier(database)).\(table.rawValue) "
        + "WHERE collector = \(EngineText.quoted(collector)) AND revision > \(revision)"
    }.joined(separator: " UNION ALL ")
    let rows = try client.rows("SELECT max(revision), toString(run) FROM (\(newer)) GROUP BY run")
    let pairs = rows.compactMap { row in row.count > 1 ? Int64(row[0]).map { (row[1], $0) } : nil }
    return Dictionary(pairs, uniquingKeysWith: max)
  }

  /// The revision up to which the rows that never change are the same in the fleet: a backup may have been made long after the
  /// revision from which on nothing was compared.
  private func commonRevision(after known: Int64) throws -> Int64 {
    func agrees(_ through: Int64) throws -> Bool {
      let window = ForwardWindow(after: known, through: through, collector: collector)
      return try ForwardedTable.insertOnly.allSatisfy { table in
        let rows = try client.rows(
          """
          SELECT toString(run), count(), sum(revision) FROM \(EngineText.identifier(database)).\(table.rawValue) FINAL
          WHERE collector = \(EngineText.quoted(collector)) AND revision > \(known) AND revision <= \(through) GROUP BY run
          """)
        var digest = ForwardDigest()
        for row in rows where row.count == 3 {
          if let count = Int64(row[1]), let sum = Int64(row[2]) {
            digest.runs[row[0]] = .init(rows: count, revisions: sum)
          }
        }
        return try reader.forwardDigest(table, window) == digest
      }
    }
    // What this process has written is not in the fleet.
    var (low, high) = (known, max(known, store.revisionAtStart))
    if try agrees(high) { return high }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try agrees(middle) { low = middle } else { high = middle }
    }
    return low
  }
}

/// What a database of the engine says of itself.
struct FleetIdentity: Equatable {
  /// 0 while ``FleetSetup`` is not complete.
  var version: Int64
  /// The id of this database alone: another one begins at the beginning.
  var id: String
  /// The engine's version.
  var engine: String

  /// - Throws: ``FleetError``, also for another version of the schema than this pushscope's.
  static func fetch(_ client: EngineClient, database: String) throws(FleetError) -> FleetIdentity {
    let identity = try readUnchecked(client, database: database)
    if identity.version > FleetSchema.version {
      throw FleetError(
        .newerSchema, place: client.place,
        detail:
          "the database \(database) has version \(identity.version) of the schema, and this pushscope knows "
          + "\(FleetSchema.version)")
    }
    guard identity.version == FleetSchema.version else {
      throw FleetError(
        identity.version == 0 ? .noSchema : .olderSchema, place: client.place,
        detail:
          "the database \(database) has version \(identity.version) of the schema, and this pushscope writes "
          + "\(FleetSchema.version)")
    }
    return identity
  }

  /// Reads it whatever version the schema has.
  static func readUnchecked(_ client: EngineClient, database: String) throws(FleetError) -> FleetIdentity {
    let row = try client.rows(FleetSchema.lookup(in: database)).first ?? []
    guard row.count == 3, let version = Int64(row[0]), row[1].utf8.count <= 64 else {
      throw FleetError(
        .refused, place: client.place,
        detail: "the engine does not say which fleet the database \(database) is")
    }
    return FleetIdentity(version: version, id: row[1], engine: row[2])
  }
}
