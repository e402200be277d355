import Measurement
import Store

/// Notifications of a run's targets in memory: a contiguous range of each target's sequence.
struct PointWindow {
  private(set) var tracks: [PointTrack] = []
  /// Older ones were left out or dropped, because of the capacity.
  private(set) var isFull = false
  /// Planned time of which everything is in memory; an end of `nil` is open.
  private var start: WallTime?
  private let end: WallTime?
  private var places: [TargetID: Int] = [:]
  /// Points whose predecessors are still missing, by target. Changes come in the order of their revisions: a notification
  /// that was answered between two reads comes after later ones that were only planned.
  private var early: [[Int64: SamplePoint]] = []
  private var earlyCount = 0

  /// Points that are kept, over all targets.
  static let capacity = 200_000
  /// Points that are read for the first snapshot.
  static let firstLook = 4_000

  init() {
    start = nil
    end = nil
  }

  /// - Parameters:
  ///   - page: a contiguous range of each target's sequence.
  ///   - from: everything since then is in the page; `nil` when the page was limited by number.
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

  /// Whether everything planned since a moment is in memory.
  func covers(from moment: WallTime) -> Bool {
    guard end == nil, !places.isEmpty else { return false }
    if let start, start <= moment { return true }
    return tracks.allSatisfy { track in
      track.isEmpty || track.firstSequence == 1 || track[0].plannedAt <= moment.microseconds
    }
  }

  /// Planned time since when everything is in memory; the distant past when that is the whole run.
  var coveredFrom: WallTime {
    if let start { return start }
    let first = tracks.compactMap { $0.isEmpty || $0.firstSequence == 1 ? nil : $0[0].plannedAt }.max()
    return WallTime(microseconds: first ?? .min)
  }

  /// Whether everything planned in a range of time is in memory, up to the capacity.
  func covers(from moment: WallTime, to other: WallTime?) -> Bool {
    guard let start, let end, let other else { return false }
    return start <= moment && other <= end
  }

  /// Whether the point belongs to one of the targets.
  func concerns(_ row: PointRow) -> Bool { places[row.id.target] != nil }

  /// Adds or updates a point; points of other targets are ignored. Points may come in any order up to the next
  /// ``settle()``.
  mutating func add(_ row: PointRow) {
    guard let place = places[row.id.target] else { return }
    let sequence = row.id.sequence
    if tracks[place].isEmpty {
      // It changed, but was planned before the window.
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

  /// Whether there are so many changes that reading the window again is cheaper.
  var isBehind: Bool { earlyCount > Self.capacity }

  /// Appends the points that came out of order.
  /// - Returns: `false` when points are missing in between.
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

  /// Updates a point, if it is in memory.
  mutating func update(_ row: PointRow) {
    guard let place = places[row.id.target] else { return }
    _ = tracks[place].update(sequence: row.id.sequence, to: row.point)
  }

  // MARK: - Numbers of values

  /// When the first of the points was planned; `nil` without any.
  var firstPlanned: WallTime? {
    tracks.compactMap { $0.isEmpty ? nil : $0[0].plannedAt }.min().map(WallTime.init(microseconds:))
  }

  /// The planned time of a target's points; `nil` without any.
  func planned(of target: TargetID) -> Range<WallTime>? {
    guard let place = places[target], !tracks[place].isEmpty else { return nil }
    let track = tracks[place]
    let last = WallTime(microseconds: track[track.count - 1].plannedAt)
    return WallTime(microseconds: track[0].plannedAt)..<last.advanced(byMicroseconds: 1)
  }

  /// Sets the number of a point's value, if it is in memory.
  mutating func setValue(_ number: UInt8, of id: SampleID) {
    guard let place = places[id.target] else { return }
    tracks[place].setValue(number, of: id.sequence)
  }

  /// Sets the numbers of the values of a target's good points.
  mutating func setValues(of target: TargetID, _ number: (SamplePoint) -> UInt8) {
    guard let place = places[target] else { return }
    for index in 0..<tracks[place].count {
      let point = tracks[place][index]
      guard MarkClass(point.state) == .good else { continue }
      tracks[place].setValue(number(point), of: tracks[place].firstSequence + Int64(index))
    }
  }

  /// Drops the oldest points above the capacity.
  /// - Returns: whether any were dropped.
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
    // Only another program can leave a gap; the range then begins after it.
    if tracks[place].isEmpty || sequence != tracks[place].endSequence {
      tracks[place] = PointTrack(target: row.id.target, firstSequence: sequence)
    }
    tracks[place].append(row.point)
  }
}
