import GRDB
import Measurement

/// The writer's caches between transactions. Everything in them can be read from the database, so they are dropped
/// after a transaction that failed.
struct WriterState: Sendable {
  /// The last revision given out.
  var revision: Int64
  var sampleStates = SampleStateCache()
  private var runRows: [RunID: Int64] = [:]
  private var runRowsByTarget: [TargetID: Int64] = [:]
  private var watermarks: RollupWatermarks?
  /// Set once: the database must not be used any more.
  private(set) var isClosed = false

  init(revision: Int64) { self.revision = revision }

  /// The revisions that a store may have reached. From the last one on there are as many as will ever be given.
  static let revisions: ClosedRange<Int64> = 0...1 << 62

  mutating func close() { isClosed = true }

  /// The row of a run.
  /// - Throws: `unknownRun`.
  mutating func row(of run: RunID, _ db: Database, path: String) throws -> Int64 {
    if let row = runRows[run] { return row }
    let row = try Int64.fetchOne(
      db, sql: "SELECT id FROM run WHERE uuid = ?", arguments: [run.description])
    guard let row else { throw StoreError.unknownRun(run.description, path: path) }
    runRows[run] = row
    return row
  }

  /// The row of a target's run; `nil` when the target was deleted.
  mutating func runRow(of target: TargetID, _ db: Database) throws -> Int64? {
    if let row = runRowsByTarget[target] { return row }
    let row = try Int64.fetchOne(
      db, sql: "SELECT run_id FROM target WHERE id = ?", arguments: [target.rawValue])
    runRowsByTarget[target] = row
    return row
  }

  mutating func record(_ run: RunID, row: Int64) { runRows[run] = row }

  /// Drops a run that was deleted, and its targets.
  mutating func forget(_ run: RunID) {
    runRows[run] = nil
    runRowsByTarget.removeAll()
  }

  mutating func rollupWatermarks(_ db: Database) throws -> RollupWatermarks {
    if let watermarks { return watermarks }
    let stored = try RollupWatermarks.fetch(db)
    watermarks = stored
    return stored
  }

  mutating func set(_ watermarks: RollupWatermarks) { self.watermarks = watermarks }
}

/// Caches the states of recent rows, so that the counters are updated without reading each row before it is changed.
/// One byte a row, per target from the oldest open row to the newest.
///
/// The writer reads rows that are not cached (settled rows, rows of earlier runs) from the database, so the cache can
/// be dropped at any time, as after a failed commit.
struct SampleStateCache {
  private struct Track {
    /// Sequence number of `flags[start]`.
    var first: Int64
    var flags: [SampleStateFlags] = []
    var start = 0

    /// The index of a sequence number, which may be out of range.
    func place(of sequence: Int64) -> Int { start + Int(sequence - first) }

    func holds(_ place: Int) -> Bool { place >= start && place < flags.count }

    mutating func trim() {
      while start < flags.count, flags[start].state.isSettled {
        start += 1
        first += 1
      }
      if start >= SampleStateCache.compaction, start * 2 >= flags.count {
        flags.removeFirst(start)
        start = 0
      }
    }
  }

  private var tracks: [TargetID: Track] = [:]
  private static let compaction = 4096

  subscript(id: SampleID) -> SampleStateFlags? {
    guard let index = tracks.index(forKey: id.target) else { return nil }
    let place = tracks.values[index].place(of: id.sequence)
    return tracks.values[index].holds(place) ? tracks.values[index].flags[place] : nil
  }

  /// Adds a new row. Rows of a target come in the order of their sequence numbers; a gap drops all earlier ones.
  mutating func append(_ flags: SampleStateFlags, for id: SampleID) {
    guard let index = tracks.index(forKey: id.target),
      tracks.values[index].place(of: id.sequence) == tracks.values[index].flags.count
    else {
      tracks[id.target] = Track(first: id.sequence, flags: [flags])
      return
    }
    tracks.values[index].flags.append(flags)
  }

  /// Changes a row, if it is cached.
  mutating func update(_ flags: SampleStateFlags, for id: SampleID) {
    guard let index = tracks.index(forKey: id.target) else { return }
    let place = tracks.values[index].place(of: id.sequence)
    if tracks.values[index].holds(place) { tracks.values[index].flags[place] = flags }
  }

  /// Drops settled rows at the old end.
  mutating func trim() {
    var index = tracks.values.startIndex
    while index != tracks.values.endIndex {
      tracks.values[index].trim()
      tracks.values.formIndex(after: &index)
    }
  }

  mutating func removeAll() { tracks.removeAll() }
}

/// The properties of a row that are counted, in two bytes: its state, whether it was sent, whether the provider accepted
/// it, and whether the device showed it.
struct SampleStateFlags: Equatable {
  private var bits: UInt16

  init(state: NotificationState, isSent: Bool, isAccepted: Bool, display: DisplayState? = nil) {
    bits =
      UInt16(state.rawValue) | (isSent ? 0x10 : 0) | (isAccepted ? 0x20 : 0)
      | UInt16((display?.rawValue ?? -1) + 1) << 6
  }

  init(_ sample: Sample) {
    self.init(
      state: sample.state, isSent: sample.scheduleLag != nil, isAccepted: sample.acceptLatency != nil,
      display: sample.display)
  }

  /// The raw value is always that of a state.
  var state: NotificationState { NotificationState(rawValue: Int(bits & 0x0F)) ?? .planned }
  var isSent: Bool { bits & 0x10 != 0 }
  var isAccepted: Bool { bits & 0x20 != 0 }
  var display: DisplayState? { DisplayState(rawValue: Int(bits >> 6) - 1) }
}

/// The changes of a transaction to the counters, per target and variant.
struct CounterDeltas {
  struct Key: Hashable {
    var target: TargetID
    var variant: VariantID
  }

  private(set) var counts: [Key: StateCounts] = [:]

  mutating func add(_ flags: SampleStateFlags, target: TargetID, variant: VariantID) {
    counts[Key(target: target, variant: variant), default: StateCounts()].add(flags)
  }

  mutating func move(
    from old: SampleStateFlags, to new: SampleStateFlags, target: TargetID, variant: VariantID
  ) {
    guard old != new else { return }
    counts[Key(target: target, variant: variant), default: StateCounts()].add(old, -1)
    counts[Key(target: target, variant: variant), default: StateCounts()].add(new)
  }

  mutating func remove(_ flags: SampleStateFlags, target: TargetID, variant: VariantID) {
    counts[Key(target: target, variant: variant), default: StateCounts()].add(flags, -1)
  }
}
