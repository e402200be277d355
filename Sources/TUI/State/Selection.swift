import Measurement
import Store

/// Selected notifications. Every panel shows the same selection, and it stays while their states change.
struct Selection: Sendable, Hashable {
  /// How they were selected: `in the box`, `200 to 250 ms`.
  let label: String
  /// Sequence numbers by target, ascending.
  private(set) var sequences: [TargetID: [Int64]] = [:]

  init(label: String) { self.label = label }

  var count: Int { sequences.values.reduce(0) { $0 + $1.count } }

  var isEmpty: Bool { sequences.isEmpty }

  /// Adds a notification whose number is above all others of its target; any other is ignored.
  mutating func add(_ sequence: Int64, of target: TargetID) {
    if let last = sequences[target]?.last, last >= sequence { return }
    sequences[target, default: []].append(sequence)
  }

  func contains(_ sequence: Int64, of target: TargetID) -> Bool {
    guard let all = sequences[target] else { return false }
    let place = all.firstIndexInOrder(notBelow: sequence)
    return place < all.count && all[place] == sequence
  }

  /// Sequence numbers of a target in the half-open range from `lower` to `upper`.
  func sequences(of target: TargetID, from lower: Int64, to upper: Int64) -> ArraySlice<Int64> {
    guard let all = sequences[target] else { return [] }
    let first = all.firstIndexInOrder(notBelow: lower)
    return all[first..<max(first, all.firstIndexInOrder(notBelow: upper))]
  }

  /// The ids of all targets, in the order given, then by sequence.
  func ids(in order: [TargetID]) -> [SampleID] {
    order.flatMap { target in
      (sequences[target] ?? []).map { SampleID(target: target, sequence: $0) }
    }
  }
}

extension Selection {
  /// The notifications of a window whose latency is in a range.
  /// - Parameters:
  ///   - targets: indices in the run's order.
  ///   - upper: excluded; µs.
  init(
    in snapshot: Snapshot, window: TimeWindow, targets: [Int], metric: Metric, from lower: Int64,
    to upper: Int64
  ) {
    self.init(label: "\(LatencyText.text(lower)) to \(LatencyText.text(upper))")
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      let range = track.range(from: window.start, to: window.end)
      for index in range {
        guard let value = track[index].value(of: metric) else { continue }
        if max(0, value) >= lower, max(0, value) < upper {
          add(track.firstSequence + Int64(index), of: track.target)
        }
      }
    }
  }

  /// The notifications of an event: the one it names and as many as it counts, or those under way when it happened.
  init(of event: Event, in snapshot: Snapshot) {
    guard let sequence = event.sequence, let id = event.target,
      let track = snapshot.tracks.first(where: { $0.target == id })
    else {
      self.init(underWayAt: event.at, target: event.target, in: snapshot, label: event.kind.rawValue)
      return
    }
    self.init(label: event.kind.rawValue)
    add(sequence, of: id)
    guard event.count > 1, let state = NotificationState(event.kind) else { return }
    // The event names the first of several.
    var left = event.count - 1
    var next = max(sequence + 1, track.firstSequence)
    while left > 0, next < track.endSequence {
      if track[Int(next - track.firstSequence)].state == state {
        add(next, of: id)
        left -= 1
      }
      next += 1
    }
  }

  /// The notifications of several events.
  init(of events: [Event], label: String, in snapshot: Snapshot) {
    self.init(label: label)
    var all: [TargetID: Set<Int64>] = [:]
    for event in events {
      for (target, sequences) in Selection(of: event, in: snapshot).sequences {
        all[target, default: []].formUnion(sequences)
      }
    }
    for (target, sequences) in all {
      for sequence in sequences.sorted() { add(sequence, of: target) }
    }
  }

  /// The notifications under way at a moment; when there were none, the last one planned before.
  init(underWayAt moment: WallTime, target: TargetID?, in snapshot: Snapshot, label: String) {
    self.init(label: label)
    let now = snapshot.now
    for track in snapshot.tracks where target == nil || track.target == target {
      let end = track.firstIndex(notBefore: moment + .microseconds(1))
      // Bounds the search.
      let begin = track.firstIndex(notBefore: moment - Self.longest)
      for index in begin..<max(begin, end) {
        let point = track[index]
        guard let life = point.life(until: now) else { continue }
        if point.plannedAt + life >= moment.microseconds {
          add(track.firstSequence + Int64(index), of: track.target)
        }
      }
    }
    guard isEmpty else { return }
    let last = snapshot.tracks.filter { target == nil || $0.target == target }.compactMap { track in
      let place = track.firstIndex(notBefore: moment + .microseconds(1)) - 1
      return place >= 0 ? (track: track, place: place) : nil
    }.max { $0.track[$0.place].plannedAt < $1.track[$1.place].plannedAt }
    if let last { add(last.track.firstSequence + Int64(last.place), of: last.track.target) }
  }

  /// The longest time that a notification is assumed to be under way.
  private static let longest = Duration.hours(1)

  /// Latencies (µs) of the selected notifications planned in a window.
  func values(in snapshot: Snapshot, window: TimeWindow, targets: [Int], metric: Metric) -> [Int64] {
    var values: [Int64] = []
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      forEach(of: track, in: track.range(from: window.start, to: window.end)) { _, point in
        let value = point.rawValue(of: metric)
        if value != SamplePoint.absent { values.append(max(0, value)) }
      }
    }
    return values
  }

  /// Visits the selected points of a track in a range of its indices.
  func forEach(of track: PointTrack, in range: Range<Int>, _ body: (Int64, SamplePoint) -> Void) {
    var start = track.firstSequence + Int64(range.lowerBound)
    let selected = sequences(of: track.target, from: start, to: start + Int64(range.count))
    selected.withUnsafeBufferPointer { selected in
      var next = 0
      track.forEachRun(in: range) { run in
        while next < selected.count, selected[next] < start + Int64(run.count) {
          body(selected[next], run[Int(selected[next] - start)])
          next += 1
        }
        start += Int64(run.count)
      }
    }
  }

  /// When any of them was under way: ascending disjoint ranges of time.
  func lifetimes(in snapshot: Snapshot) -> [TargetID: [ClosedRange<WallTime>]] {
    var result: [TargetID: [ClosedRange<WallTime>]] = [:]
    let now = snapshot.now
    for track in snapshot.tracks {
      var merged: [ClosedRange<WallTime>] = []
      forEach(of: track, in: 0..<track.count) { _, point in
        let plannedAt = WallTime(microseconds: point.plannedAt)
        let end = plannedAt.advanced(byMicroseconds: point.life(until: now) ?? 0)
        merged.appendMerging(plannedAt...max(plannedAt, end))
      }
      if !merged.isEmpty { result[track.target] = merged }
    }
    return result
  }
}

extension SamplePoint {
  /// How long the notification was under way, or has been so far, µs; `nil` when it was not sent.
  func life(until now: WallTime) -> Int64? {
    if let longest = [acceptLatency, deliveryLatency].compactMap({ $0 }).max() { return max(0, longest) }
    switch state {
    case .planned, .missed: return nil
    case .inFlight: return max(0, now.microseconds - plannedAt)
    default: return isSent ? 0 : nil
    }
  }
}

extension NotificationState {
  /// The state that an event reports; `nil` for kinds that report none.
  init?(_ kind: EventKind) {
    switch kind {
    case .lost: self = .lost
    case .late: self = .late
    case .failed: self = .failed
    case .rejected: self = .rejected
    case .missed: self = .missed
    case .interrupted: self = .interrupted
    default: return nil
    }
  }
}

/// Decides which rows of log and events belong to the selection.
struct SelectionMarks: Sendable {
  private let selection: Selection
  private let lifetimes: [TargetID: [ClosedRange<WallTime>]]

  init(_ selection: Selection, in snapshot: Snapshot) {
    self.selection = selection
    lifetimes = selection.lifetimes(in: snapshot)
  }

  /// An event with a sequence number belongs to that notification, one without to those under way.
  func contains(_ event: Event) -> Bool {
    if let sequence = event.sequence, let target = event.target {
      return selection.contains(sequence, of: target)
    }
    return isUnderWay(at: event.at, target: event.target)
  }

  func contains(_ line: LogLine) -> Bool { isUnderWay(at: line.at, target: line.target) }

  private func isUnderWay(at moment: WallTime, target: TargetID?) -> Bool {
    guard let target else { return lifetimes.keys.contains { isUnderWay(at: moment, target: $0) } }
    guard let stretches = lifetimes[target] else { return false }
    let place = stretches.partitioningIndex { $0.upperBound >= moment }
    return place < stretches.count && stretches[place].contains(moment)
  }
}
