import Measurement
import Store

/// Notifications of a run's targets that lie in memory: a stretch of each target's sequence without gaps.
struct PointWindow {
  private(set) var tracks: [PointTrack] = []
  /// Older ones were left out or let go, because they are too many.
  private(set) var isFull = false
  /// From where on, and up to where, everything planned is here; `nil` for no end.
  private var start: WallTime?
  private let end: WallTime?
  private var places: [TargetID: Int] = [:]
  /// Points whose predecessors have not come yet, by target. Changes come in the order of their revisions: a notification
  /// that was answered between two looks comes after later ones that were only planned.
  private var early: [[Int64: SamplePoint]] = []
  private var earlyCount = 0

  /// As many as are kept, over all targets.
  static let capacity = 200_000
  /// As many as are read before the first picture.
  static let firstLook = 4_000

  init() {
    start = nil
    end = nil
  }

  /// - Parameters:
  ///   - page: for each target a stretch of its sequence.
  ///   - from: everything since then is in the page; `nil` when the page holds as many as there was room for.
  init(targets: [TargetID], page: PointPage, from: WallTime? = nil, to: WallTime? = nil) {
    start = page.isTruncated ? nil : from
    end = to
    isFull = page.isTruncated && from != nil
    for (place, target) in targets.enumerated() {
      places[target] = place
      tracks.append(PointTrack(target: target))
      early.append([:])
    }
    for row in page.points { append(row) }
  }

  /// Whether everything planned since a moment is here.
  func covers(from moment: WallTime) -> Bool {
    guard end == nil, !places.isEmpty else { return false }
    if let start, start <= moment { return true }
    return tracks.allSatisfy { track in
      track.isEmpty || track.firstSequence == 1 || track[0].plannedAt <= moment.microseconds
    }
  }

  /// Since when everything planned is here; the distant past where that is all there ever was.
  var coveredFrom: WallTime {
    if let start { return start }
    let first = tracks.compactMap { $0.isEmpty || $0.firstSequence == 1 ? nil : $0[0].plannedAt }.max()
    return WallTime(microseconds: first ?? .min)
  }

  /// Whether everything planned in a stretch is here, or as much of it as there is room for.
  func covers(from moment: WallTime, to other: WallTime?) -> Bool {
    guard let start, let end, let other else { return false }
    return start <= moment && other <= end
  }

  /// Whether it belongs to one of the targets, and not to another run.
  func concerns(_ row: PointRow) -> Bool { places[row.id.target] != nil }

  /// Takes in a point that is new or has changed; one of another run or target is passed over. Points may come in any
  /// order up to the next ``settle()``.
  mutating func take(_ row: PointRow) {
    guard let place = places[row.id.target] else { return }
    let sequence = row.id.sequence
    if tracks[place].isEmpty {
      // Changed, but planned before everything that is wanted.
      if let start, row.point.plannedAt < start.microseconds { return }
    } else if sequence < tracks[place].endSequence {
      _ = tracks[place].update(sequence: sequence, to: row.point)
      return
    } else if sequence == tracks[place].endSequence, early[place].isEmpty {
      tracks[place].append(row.point)
      return
    }
    if early[place].updateValue(row.point, forKey: sequence) == nil { earlyCount += 1 }
  }

  /// There are so many changes that what is wanted is better read anew.
  var isBehind: Bool { earlyCount > Self.capacity }

  /// Puts in order what has come since the last time.
  /// - Returns: false when points are missing in between.
  mutating func settle() -> Bool {
    guard earlyCount > 0 else { return true }
    var isWhole = true
    for place in early.indices where !early[place].isEmpty {
      let sequences = early[place].keys.sorted()
      if tracks[place].isEmpty, let first = sequences.first {
        tracks[place] = PointTrack(target: tracks[place].target, firstSequence: first)
      }
      for sequence in sequences {
        guard let point = early[place][sequence] else { continue }
        guard sequence == tracks[place].endSequence else {
          isWhole = false
          break
        }
        tracks[place].append(point)
      }
      early[place].removeAll()
    }
    earlyCount = 0
    return isWhole
  }

  /// Takes in a change of a point that is here.
  mutating func update(_ row: PointRow) {
    guard let place = places[row.id.target] else { return }
    _ = tracks[place].update(sequence: row.id.sequence, to: row.point)
  }

  /// Lets the oldest go when there are too many.
  /// - Returns: whether there were.
  mutating func trim() -> Bool {
    let limit = Self.capacity / max(1, tracks.count)
    var isTrimmed = false
    for place in tracks.indices where tracks[place].count > limit + limit / 4 {
      tracks[place].dropFirst(keeping: limit)
      start = nil
      isFull = true
      isTrimmed = true
    }
    return isTrimmed
  }

  private mutating func append(_ row: PointRow) {
    guard let place = places[row.id.target] else { return }
    let sequence = row.id.sequence
    // A gap can only come from other hands; the stretch then begins behind it.
    if tracks[place].isEmpty || sequence != tracks[place].endSequence {
      tracks[place] = PointTrack(target: row.id.target, firstSequence: sequence)
    }
    tracks[place].append(row.point)
  }
}
