import FoundationEssentials
import GRDB
import Measurement
import Synchronization

/// The store as its one writer has it: a collector's, for as long as the lock is held.
///
/// Safe to use from any thread; calls wait for each other. Readers never make it wait, nor it them (WAL).
public final class CollectorStore: Sendable {
  public let path: String
  /// Made once per store; MACs and the identity of runs rest on it.
  public let collectorID: UUID
  /// What the start found of runs that nobody closed.
  public let recovered: RecoverySummary

  /// When it was opened here.
  let openedAt: WallTime
  let clock: any HostClock
  let queue: DatabaseQueue
  private let place: Mutex<StoreLocation?>
  private let token: OpenStore
  private let state: Mutex<WriterState>

  private init(
    path: String, collectorID: UUID, recovered: RecoverySummary, clock: any HostClock, queue: DatabaseQueue,
    place: consuming StoreLocation, token: OpenStore, state: WriterState
  ) {
    self.token = token
    self.path = path
    self.collectorID = collectorID
    self.recovered = recovered
    openedAt = clock.wallNow()
    self.clock = clock
    self.queue = queue
    self.place = Mutex(place)
    self.state = Mutex(state)
  }

  /// Opens the store for writing, or makes it: takes the lock, brings the schema up to date, and settles what runs that
  /// nobody closed left behind. In that order, so that nothing is changed under a collector that is at work.
  ///
  /// - Throws: ``StoreError``; a file that is refused is left as it was.
  public static func open(
    at path: String, clock: any HostClock, options: CollectorStoreOptions
  ) throws -> CollectorStore {
    let file = StoreFile(path: path)
    if try file.look() == .missing { try file.makeDirectory() }
    let lock = try CollectorLock.take(forStore: file.path)
    var isOldFile = false
    switch try file.look() {
    case .missing: try file.create()
    case .empty: break
    case .database:
      try file.checkThroughSQLite()
      isOldFile = true
    }
    try file.restrict()
    let other = lock.isNew && isOldFile ? StoreLocation.otherUser(of: file) : nil
    let token = OpenStore(path: file.path)
    return try StoreError.wrapping(path: file.path) {
      let queue = try DatabaseQueue(path: file.path, configuration: configuration)
      do {
        try StoreLocation.refuseIfWritten(by: other, file, queue)
        return try open(file, queue: queue, lock: lock, token: token, clock: clock, options: options)
      } catch {
        try? queue.close()
        throw error
      }
    }
  }

  private static func open(
    _ file: StoreFile, queue: DatabaseQueue, lock: CollectorLock, token: OpenStore, clock: any HostClock,
    options: CollectorStoreOptions
  ) throws -> CollectorStore {
    try queue.writeWithoutTransaction { db in
      try file.check(db)
      // After the opening: GRDB sets NORMAL with the WAL mode, whatever was set before.
      try db.execute(sql: "PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
      try db.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
      // Back to this size when a checkpoint lets the WAL start over.
      _ = try Int64.fetchOne(db, sql: "PRAGMA journal_size_limit = \(walSizeLimit)")
      try StoreSchema.migrate(db, createdAt: clock.wallNow())
      let meta = try Row.fetchOne(db, sql: "SELECT collector, revision FROM meta")
      guard let meta, let collectorID = UUID(uuidString: meta["collector"]) else {
        throw StoreError.notAStore(file.path, "the store has lost its collector id")
      }
      // What the last collector was at, this one is not.
      try db.execute(sql: "UPDATE presence SET run = NULL, serves = 0 WHERE run IS NOT NULL OR serves <> 0")
      var state = WriterState(revision: meta["revision"])
      let recovered = try Recovery(clock: clock, bootID: options.bootID).run(db, state: &state)
      return CollectorStore(
        path: file.path, collectorID: collectorID, recovered: recovered, clock: clock, queue: queue,
        place: StoreLocation(file, lock: lock), token: token, state: state)
    }
  }

  private static let cacheKibibytes = 16_384
  private static let walSizeLimit = 16 << 20

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(2)
    configuration.label = "pushscope.collector"
    return configuration
  }

  /// Writes a batch in one transaction, with the run's heartbeat; an empty batch is a heartbeat alone.
  ///
  /// - Throws: ``StoreError``. Nothing was written then; while it is transient, the same batch may be tried again. `replaced`
  ///   or `inUse`: what was written is not in the file with the store's name, or another collector writes it too.
  public func commit(_ batch: WriteBatch) throws -> CommitStatistics {
    let start = clock.monotonicNow()
    let now = ClockAnchor(monotonic: start, wall: clock.wallNow())
    let revision = try placedTransaction { db, state in
      let runRow = try batch.run.map { try self.runRow(of: $0, db, &state) }
      let samples = try SampleWriter(db)
      var deltas = CounterDeltas()
      var rollups = try RollupChanges(marks: state.marks(db))
      try samples.insert(batch.inserted, into: &state, deltas: &deltas, rollups: &rollups)
      try samples.update(batch.updated, in: &state, deltas: &deltas, rollups: &rollups)
      try rollups.apply(db)
      let records = RecordWriter(db)
      try records.apply(deltas)
      var revision = state.revision
      try records.insert(batch.receipts, revision: &revision)
      let rowForTarget = { (target: TargetID?) throws -> Int64? in
        try target.flatMap { try self.runRow(of: $0, db, &state) } ?? runRow
      }
      try records.insert(batch.events, revision: &revision, runRow: rowForTarget)
      try records.insert(batch.log, revision: &revision, runRow: rowForTarget)
      if let runRow { try records.insert(batch.exchanges, at: now.wall, revision: &revision, runRow: runRow) }
      state.revision = revision
      if let runRow {
        try records.insert(batch.anchors, runRow: runRow)
        if let instrument = batch.instrument { try records.write(instrument, runRow: runRow) }
        try records.beat(now, runRow: runRow)
      }
      state.standings.trim()
    }
    return CommitStatistics(duration: clock.monotonicNow() - start, rows: batch.rowCount, revision: revision)
  }

  /// The same as ``transaction(_:)``, and looks whether what was written is where readers look for it.
  func placedTransaction(_ body: (Database, inout WriterState) throws -> Void) throws -> Int64 {
    let result = Result { try transaction(body) }
    let now = clock.monotonicNow()
    try place.withLock { place throws(StoreError) in try place?.check(at: now) }
    return try result.get()
  }

  /// Runs `body` in a transaction that also stores the revision it reached.
  /// - Returns: that revision.
  @discardableResult
  func transaction(_ body: (Database, inout WriterState) throws -> Void) throws -> Int64 {
    try state.withLock { state in
      guard !state.isClosed else { throw StoreError.closed(path) }
      let before = state.revision
      do {
        return try StoreError.wrapping(path: path) {
          try queue.inTransaction(.immediate) { db in
            try body(db, &state)
            if state.revision != before { try RecordWriter(db).store(revision: state.revision) }
            return .commit
          }
          return state.revision
        }
      } catch {
        state = WriterState(revision: before)
        throw error
      }
    }
  }

  func read<T: Sendable>(_ body: (Database) throws -> T) throws -> T {
    try state.withLock { state in
      guard !state.isClosed else { throw StoreError.closed(path) }
      return try StoreError.wrapping(path: path) { try queue.read(body) }
    }
  }

  /// Closes the database, which moves the WAL into it, and gives the lock back. Later calls do nothing; any other call
  /// then fails.
  public func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      if place.withLock({ $0?.isLost ?? false }) {
        queue.writeWithoutTransaction { StoreLocation.keepWhatWasWritten($0) }
      }
      try? queue.close()
      place.withLock { $0 = nil }
    }
  }

  /// The row of a run by its UUID.
  func runRow(of run: RunID, _ db: Database, _ state: inout WriterState) throws -> Int64 {
    if let row = state.runRows[run] { return row }
    let row = try Int64.fetchOne(
      db, sql: "SELECT id FROM run WHERE uuid = ?", arguments: [run.description])
    guard let row else { throw StoreError.unknownRun(run.description, path: path) }
    state.runRows[run] = row
    return row
  }

  /// The row of the run a target belongs to; `nil` when the target is gone.
  private func runRow(of target: TargetID, _ db: Database, _ state: inout WriterState) throws -> Int64? {
    if let row = state.runRowsByTarget[target] { return row }
    let row = try Int64.fetchOne(
      db, sql: "SELECT run_id FROM target WHERE id = ?", arguments: [target.rawValue])
    state.runRowsByTarget[target] = row
    return row
  }
}
