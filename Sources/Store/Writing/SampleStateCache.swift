import Measurement

/// Remembers how the rows under way stand, so that the counters can be kept right without reading each row before it
/// is changed. A byte a row: from the oldest whose end is open to the newest, per target.
///
/// What it does not hold (settled rows, rows of earlier runs) the writer asks the database for. It may so forget
/// everything at any time, which it does when a commit fails.
struct SampleStateCache {
  private struct Track {
    /// Sequence number of `flags[start]`.
    var first: Int64
    var flags: [SampleStateFlags] = []
    var start = 0

    /// The place of a sequence number; it need not be inside.
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

  /// Notes a new row. Those of a target come in the order of their sequence numbers; after a gap, what was before it is
  /// left to the database.
  mutating func append(_ flags: SampleStateFlags, for id: SampleID) {
    guard let index = tracks.index(forKey: id.target),
      tracks.values[index].place(of: id.sequence) == tracks.values[index].flags.count
    else {
      tracks[id.target] = Track(first: id.sequence, flags: [flags])
      return
    }
    tracks.values[index].flags.append(flags)
  }

  /// Notes a change; one of a row that is not held is the database's alone.
  mutating func update(_ flags: SampleStateFlags, for id: SampleID) {
    guard let index = tracks.index(forKey: id.target) else { return }
    let place = tracks.values[index].place(of: id.sequence)
    if tracks.values[index].holds(place) { tracks.values[index].flags[place] = flags }
  }

  /// Lets go of settled rows at the old end.
  mutating func trim() {
    var index = tracks.values.startIndex
    while index != tracks.values.endIndex {
      tracks.values[index].trim()
      tracks.values.formIndex(after: &index)
    }
  }

  mutating func removeAll() { tracks.removeAll() }
}

/// What the counters need to know of a row, in one byte: its state, whether it went out, whether the provider
/// accepted it.
struct SampleStateFlags: Equatable {
  private var bits: UInt8

  init(state: NotificationState, isSent: Bool, isAccepted: Bool) {
    bits = UInt8(state.rawValue) | (isSent ? 0x10 : 0) | (isAccepted ? 0x20 : 0)
  }

  init(_ sample: Sample) {
    self.init(
      state: sample.state, isSent: sample.scheduleLag != nil, isAccepted: sample.acceptLatency != nil)
  }

  /// Only made from a state's raw value, so that there is one for it.
  var state: NotificationState { NotificationState(rawValue: Int(bits & 0x0F)) ?? .planned }
  var isSent: Bool { bits & 0x10 != 0 }
  var isAccepted: Bool { bits & 0x20 != 0 }
}

/// What a transaction changes in the counters, per target and variant.
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
