import Measurement

/// Remembers how the rows under way stand, so that the counters can be kept right without reading each row before it
/// is changed. A byte a row: from the oldest whose end is open to the newest, per target.
///
/// What it does not hold (settled rows, rows of earlier runs) the writer asks the database for. It may so forget
/// everything at any time, which it does when a commit fails.
struct SampleStateCache {
  private struct Track {
    /// Sequence number of `standings[start]`.
    var first: Int64
    var standings: [SampleStateFlags] = []
    var start = 0

    /// The place of a sequence number; it need not be inside.
    func place(of sequence: Int64) -> Int { start + Int(sequence - first) }

    func holds(_ place: Int) -> Bool { place >= start && place < standings.count }

    mutating func trim() {
      while start < standings.count, standings[start].state.isSettled {
        start += 1
        first += 1
      }
      if start >= SampleStateCache.compaction, start * 2 >= standings.count {
        standings.removeFirst(start)
        start = 0
      }
    }
  }

  private var tracks: [TargetID: Track] = [:]
  private static let compaction = 4096

  subscript(id: SampleID) -> SampleStateFlags? {
    guard let index = tracks.index(forKey: id.target) else { return nil }
    let place = tracks.values[index].place(of: id.sequence)
    return tracks.values[index].holds(place) ? tracks.values[index].standings[place] : nil
  }

  /// Notes a new row. Those of a target come in the order of their sequence numbers; after a gap, what was before it is
  /// left to the database.
  mutating func append(_ standing: SampleStateFlags, for id: SampleID) {
    guard let index = tracks.index(forKey: id.target),
      tracks.values[index].place(of: id.sequence) == tracks.values[index].standings.count
    else {
      tracks[id.target] = Track(first: id.sequence, standings: [standing])
      return
    }
    tracks.values[index].standings.append(standing)
  }

  /// Notes a change; one of a row that is not held is the database's alone.
  mutating func update(_ standing: SampleStateFlags, for id: SampleID) {
    guard let index = tracks.index(forKey: id.target) else { return }
    let place = tracks.values[index].place(of: id.sequence)
    if tracks.values[index].holds(place) { tracks.values[index].standings[place] = standing }
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
