import FoundationEssentials
import GRDB
import Measurement
import Synchronization

/// The store as its only writer, a collector, has it. Holds the collector's lock until it is closed.
///
/// Safe to use from any thread; calls wait for each other. Readers and the writer never wait for each other (WAL).
public final class CollectorStore: Sendable {
  public let path: String
  /// Generated once per store; part of the receipts' MACs and of each run.
  public let collectorID: UUID
  /// The runs of crashed collectors that the start closed.
  public let recovered: RecoverySummary
  /// The rows that it settled as interrupted.
  public let interruptedAtStart: [InterruptedRows]
  /// The last revision given to a row before the recovery: rows with a later one changed since this start.
  public let revisionAtStart: Int64

  let openedAt: WallTime
  let clock: any HostClock
  let queue: DatabaseQueue
  private let location: Mutex<StoreLocation?>
  private let token: OpenStore
  private let state: Mutex<WriterState>
  let checkpoints: LogCheckpoints
  /// `nil` where SQLite syncs each commit.
  let logSync: LogSync?

  private init(
    path: String, collectorID: UUID, recovered: RecoverySummary, interrupted: [InterruptedRows],
    revisionAtStart: Int64, clock: any HostClock, queue: DatabaseQueue,
    location: consuming StoreLocation, token: OpenStore, state: WriterState, checkpoints: LogCheckpoints,
    logSync: LogSync?
  ) {
    (self.checkpoints, self.logSync) = (checkpoints, logSync)
    interruptedAtStart = interrupted
    self.revisionAtStart = revisionAtStart
    self.token = token
    self.path = path
    self.collectorID = collectorID
    self.recovered = recovered
    openedAt = clock.wallNow()
    self.clock = clock
    self.queue = queue
    self.location = Mutex(location)
    self.state = Mutex(state)
  }

  /// Opens or creates the store: takes the lock, migrates the schema, and closes the runs of crashed collectors. In
  /// this order, so that nothing is changed while another collector runs.
  ///
  /// - Throws: ``StoreError``. A file that is refused is not changed.
  public static func open(
    at path: String, clock: any HostClock, options: CollectorStoreOptions
  ) throws -> CollectorStore {
    let file = StoreFile(path: path, access: options.access)
    if try file.content() == .missing { try file.makeDirectory() }
    let lock = try CollectorLock.acquire(forStore: file.path, group: file.group)
    var isOldFile = false
    switch try file.content() {
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
        if file.group != nil { try file.restrict() }
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
      // The WAL is truncated to this size when a checkpoint resets it.
      _ = try Int64.fetchOne(db, sql: "PRAGMA journal_size_limit = \(walSizeLimit)")
      try StoreSchema.migrate(db, createdAt: clock.wallNow())
      try FailedPart.forget(db)
      let logSync = options.durability == .full ? nil : LogSync(path: file.walPath, clock: clock)
      let checkpoints = LogCheckpoints(clock: clock, onCommit: { logSync?.recordCommit() })
      checkpoints.install(on: db)
      let meta = try Row.fetchOne(db, sql: "SELECT collector, revision FROM meta")
      guard let meta, let collectorID = UUID(uuidString: try meta.value(0)) else {
        throw StoreError.notAStore(file.path, "the store has no collector id")
      }
      // Clear the run marker that a crashed collector left behind.
      try db.execute(sql: "UPDATE presence SET run = NULL, serves = 0 WHERE run IS NOT NULL OR serves <> 0")
      var state = WriterState(revision: try meta.value(1))
      guard WriterState.revisions.contains(state.revision) else {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT, message: "the last revision is \(state.revision)")
      }
      let revisionAtStart = state.revision
      try ForwardCursor.recordOpening(at: revisionAtStart, db)
      var interrupted: [InterruptedRows] = []
      let recovered = try Recovery(clock: clock, bootID: options.bootID).run(
        db, state: &state, rows: &interrupted)
      return CollectorStore(
        path: file.path, collectorID: collectorID, recovered: recovered, interrupted: interrupted,
        revisionAtStart: revisionAtStart, clock: clock, queue: queue,
        location: StoreLocation(file, lock: lock), token: token, state: state, checkpoints: checkpoints,
        logSync: logSync)
    }
  }

  private static let cacheKibibytes = 16_384
  private static let walSizeLimit = 16 << 20

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(2)
    configuration.label = "pushscope.collector"
    // Of a new store only, and before the WAL mode, which writes the first page: what is deleted can then be given back to
    // the file system in small steps.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    return configuration
  }

  /// Registers a run with its targets and variants. Target numbers follow the order of the targets' names, so that the
  /// order of row ids is the order of run, target and sequence.
  ///
  /// - Throws: ``StoreError``, `identifiersExhausted` after four million targets over all runs.
  public func beginRun(_ run: RunDescription) throws -> RunRegistration {
    var registration = RunRegistration(run: run.id, targets: [])
    try transaction { db, state in
      registration = try RunWriter(db: db, path: path).begin(run, collectorID: collectorID, state: &state)
    }
    return registration
  }

  /// Registers what a reload of the configuration changed: targets that go on as something else, whose former configuration
  /// is kept, and new ones, whose ids follow those of the run. One that ended and begins again in the same run keeps its id.
  ///
  /// - Throws: ``StoreError``: `unknownRun`, `unknownTarget`, `identifiersExhausted`.
  public func changeTargets(
    of run: RunID, changed: [TargetDescription], added: [TargetDescription], at time: WallTime
  ) throws -> RunRegistration {
    var registration = RunRegistration(run: run, targets: [])
    try transaction { db, state in
      registration = try RunWriter(db: db, path: path).change(
        run, changed: changed, added: added, at: time, state: &state)
    }
    return registration
  }

  /// The ids that ``changeTargets(of:changed:added:at:)`` would register. Nothing is stored. They hold until then: only
  /// a reload registers targets while a run is recorded.
  ///
  /// - Throws: ``StoreError``: `unknownRun`, `unknownTarget`, `identifiersExhausted`.
  public func plannedTargets(
    of run: RunID, changed: [TargetDescription], added: [TargetDescription]
  ) throws -> RunRegistration {
    var registration = RunRegistration(run: run, targets: [])
    try transaction { db, state in
      let revision = state.revision
      defer { state.revision = revision }
      try db.inSavepoint {
        registration = try RunWriter(db: db, path: path).change(
          run, changed: changed, added: added, at: clock.wallNow(), state: &state)
        return .rollback
      }
    }
    return registration
  }

  /// Writes events that are not part of a batch: of a run, or of the collector.
  /// - Throws: ``StoreError``.
  public func record(_ events: [Event], run: RunID?) throws {
    try transaction { db, state in
      let row = try run.map { try state.row(of: $0, db, path: path) }
      var revision = state.revision
      try RecordWriter(db).insert(events, revision: &revision) { _ in row }
      state.revision = revision
    }
  }

  /// Closes a run, for every reason by the rule of ``Recovery``: plans at the end of a sequence that cannot have been
  /// sent are removed, since they were never due; other open rows become interrupted. Later receipts may still change
  /// rows.
  ///
  /// - Parameter sendingEnded: nothing that was planned for later was sent; `nil` means now.
  /// - Returns: the rows that became interrupted.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func endRun(
    _ run: RunID, at time: WallTime, reason: RunEndReason, sendingEnded: MonotonicTime? = nil
  ) throws -> [InterruptedRows] {
    let lastDue = (sendingEnded ?? clock.monotonicNow()).microseconds
    var interrupted: [InterruptedRows] = []
    try transaction { db, state in
      interrupted = try RunWriter(db: db, path: path).end(
        run, at: time, reason: reason, lastDue: lastDue, state: &state)
    }
    return interrupted
  }

  /// The target and variant of a stored notification, by name, and whether its row changed since this collector
  /// opened the store. A row that a receipt can still change did so when it settled, since nothing else changes it
  /// afterwards.
  public func series(of sample: Sample) throws -> (origin: SampleChange.Origin, isChangedSinceStart: Bool)? {
    try read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT t.name, s.variant_id, s.revision FROM sample s JOIN target t ON t.id = ? WHERE s.id = ?
          """,
        arguments: [sample.id.target.rawValue, sample.id.rawValue])
      guard let row else { return nil }
      let origin = SampleChange.Origin(
        target: try row.value(0),
        variant: try VariantQuery.name(of: VariantID(rawValue: row.value(1)), db))
      return (origin, try row.value(2) > revisionAtStart)
    }
  }

  /// Writes a batch in one transaction, with the run's heartbeat; an empty batch writes only the heartbeat.
  ///
  /// - Throws: ``StoreError``. Nothing was written; the same batch may be committed again if the error is transient.
  ///   `replaced` or `inUse`: the rows are not in the file with the store's name, or another collector writes to it.
  public func commit(_ batch: WriteBatch) throws -> CommitStatistics {
    let start = clock.monotonicNow()
    let now = ClockAnchor(monotonic: start, wall: clock.wallNow())
    let revision = try checkedTransaction { db, state in
      let runRow = try batch.run.map { try state.row(of: $0, db, path: path) }
      let samples = try SampleWriter(db)
      var deltas = CounterDeltas()
      var rollups = try RollupChanges(watermarks: state.rollupWatermarks(db))
      try samples.withdraw(batch.withdrawn, deltas: &deltas, rollups: &rollups)
      try samples.insert(batch.inserted, into: &state, deltas: &deltas, rollups: &rollups)
      try samples.update(batch.updated, in: &state, deltas: &deltas, rollups: &rollups)
      try rollups.apply(db)
      let records = RecordWriter(db)
      try records.apply(deltas)
      try records.insert(batch.contexts)
      try records.insert(batch.receipts, revision: &state.revision)
      try records.insert(batch.pings, revision: &state.revision)
      try records.insert(batch.events, batch.log, runRow: runRow, &state)
      if let runRow {
        try records.insert(batch.exchanges, at: now.wall, revision: &state.revision, runRow: runRow)
        try records.insert(batch.anchors, runRow: runRow)
        if let instrument = batch.instrument { try records.write(instrument, runRow: runRow) }
        try records.beat(now, runRow: runRow)
      }
      state.sampleStates.trim()
    }
    return CommitStatistics(duration: clock.monotonicNow() - start, rows: batch.rowCount, revision: revision)
  }

  /// The same as ``transaction(_:)``, and checks afterwards that the file is still the store.
  func checkedTransaction(_ body: (Database, inout WriterState) throws -> Void) throws -> Int64 {
    let result = Result { try transaction(body) }
    let now = clock.monotonicNow()
    try location.withLock { location throws(StoreError) in try location?.check(at: now) }
    return try result.get()
  }

  /// Runs `body` in a transaction and stores the revision.
  /// - Returns: the revision.
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

  /// Runs `body` outside of a transaction.
  func withDatabase(_ body: (Database) -> Void) throws {
    try state.withLock { state in
      guard !state.isClosed else { throw StoreError.closed(path) }
      queue.writeWithoutTransaction(body)
    }
  }

  /// Closes the database, which checkpoints the WAL, and releases the lock. Calling it again does nothing; all other
  /// calls fail afterwards.
  public func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.close()
      if location.withLock({ $0?.isLost ?? false }) {
        queue.writeWithoutTransaction { StoreLocation.keepWhatWasWritten($0) }
      }
      try? queue.close()
      location.withLock { $0 = nil }
    }
  }
}
