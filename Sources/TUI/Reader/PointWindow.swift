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
    }
    for point in page.points { append(point) }
  }

  /// Whether everything planned since a moment is here.
  func covers(from moment: WallTime) -> Bool {
    guard end == nil, !places.isEmpty else { return false }
    if let start, start <= moment { return true }
    return tracks.allSatisfy { track in
      track.isEmpty || track.firstSequence == 1 || track[0].plannedAt <= moment.microseconds
    }
  }

  /// Whether everything planned in a stretch is here, or as much of it as there is room for.
  func covers(from moment: WallTime, to other: WallTime?) -> Bool {
    guard let start, let end, let other else { return false }
    return start <= moment && other <= end
  }

  /// Whether it belongs to one of the targets, and not to another run.
  func concerns(_ point: SamplePoint) -> Bool { places[point.id.target] != nil }

  /// Takes in a point that is new or has changed; one of another run or target is passed over.
  /// - Returns: false when points before it are missing.
  mutating func take(_ point: SamplePoint) -> Bool {
    guard let place = places[point.id.target] else { return true }
    let sequence = point.id.sequence
    if tracks[place].isEmpty || sequence == tracks[place].endSequence {
      append(point)
      return true
    }
    if sequence > tracks[place].endSequence { return false }
    _ = tracks[place].update(sequence: sequence, to: PlotPoint(point))
    return true
  }

  /// Takes in a change of a point that is here.
  mutating func update(_ point: SamplePoint) {
    guard let place = places[point.id.target] else { return }
    _ = tracks[place].update(sequence: point.id.sequence, to: PlotPoint(point))
  }

  /// Lets the oldest go when there are too many.
  mutating func trim() {
    let limit = Self.capacity / max(1, tracks.count)
    for place in tracks.indices where tracks[place].count > limit + limit / 4 {
      tracks[place].dropFirst(keeping: limit)
      start = nil
      isFull = true
    }
  }

  private mutating func append(_ point: SamplePoint) {
    guard let place = places[point.id.target] else { return }
    let sequence = point.id.sequence
    // A gap can only come from other hands; the stretch then begins behind it.
    if tracks[place].isEmpty || sequence != tracks[place].endSequence {
      tracks[place] = PointTrack(target: point.id.target, firstSequence: sequence)
    }
    tracks[place].append(PlotPoint(point))
  }
}

extension PlotPoint {
  init(_ point: SamplePoint) {
    self.init(
      plannedAt: point.plannedAt, plannedMonotonic: point.plannedMonotonic, scheduleLag: point.scheduleLag,
      acceptLatency: point.acceptLatency, deliveryLatency: point.deliveryLatency, state: point.state,
      deliveryError: point.deliveryError, deliveryHigh: point.deliveryHigh, status: point.status,
      isFreshConnection: point.isFreshConnection, isOutOfOrder: point.isOutOfOrder)
  }
}

extension Tally {
  init(_ counts: StateCounts) {
    self.init()
    for state in NotificationState.allCases { self[state] = counts[state] }
    sent = counts.sent
    accepted = counts.acceptedByProvider
  }
}
