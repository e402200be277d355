import Measurement
import Store

extension Snapshot {
  /// The run as known at a moment: without later notifications, and with what had happened to the others by then.
  /// - Parameters:
  ///   - moment: nothing after it is known.
  ///   - since: notifications planned before it are left out.
  func known(at moment: WallTime, since: WallTime) -> Snapshot {
    var known = self
    known.now = moment
    known.monotonicNow = nil
    known.tracks = []
    known.totals = []
    for (place, track) in self.tracks.enumerated() {
      let deadline =
        self.targets.indices.contains(place) ? self.targets[place].receiptDeadline?.microseconds : nil
      let range = track.range(from: since, to: moment + .microseconds(1))
      var past = PointTrack(
        target: track.target, firstSequence: track.firstSequence + Int64(range.lowerBound))
      var counts = StateCounts()
      track.forEachRun(in: range) { run in
        for point in run {
          let then = point.known(at: moment, deadline: deadline)
          counts.add(then)
          past.append(then)
        }
      }
      if let last = range.last {
        known.monotonicNow = MonotonicTime(
          microseconds: track[last].plannedMonotonic + moment.microseconds - track[last].plannedAt)
      }
      known.tracks.append(past)
      known.totals.append(counts)
    }
    known.density = self.density?.known(at: moment)
    // Nothing after the moment is known, whether it was read or not.
    if let to = self.covered.to, moment < to { known.covered.to = nil }
    known.eventList = self.eventList.until(moment)
    known.logList = self.logList.until(moment)
    known.axisMarks = self.axisMarks.until(moment)
    if self.run?.startedAt ?? moment <= moment { known.run?.phase = .live }
    return known
  }
}

extension SamplePoint {
  /// The notification as known at a moment after it was planned.
  /// - Parameter deadline: µs after which it counts as lost; `nil` when not known.
  func known(at moment: WallTime, deadline: Int64?) -> SamplePoint {
    let age = moment.microseconds - plannedAt
    let accept = acceptLatency.flatMap { $0 <= age ? $0 : nil }
    let then: NotificationState
    switch state {
    case .planned, .missed, .interrupted, .rejected, .failed: return self
    case .inFlight: then = .inFlight
    case .accepted: then = accept == nil ? .inFlight : .accepted
    case .lost:
      guard let deadline else { return self }
      then = age >= deadline ? .lost : .inFlight
    case .delivered, .late:
      guard let delivery = deliveryLatency else { return self }
      if delivery <= age {
        let isKnown =
          value(of: .shown).map { $0 <= age } ?? (display != .unseen || deadline.map { age >= $0 } ?? true)
        return display == nil || isKnown ? self : awaitingDisplay
      }
      then = deadline.map { age >= $0 } ?? false ? .lost : .inFlight
    }
    var known = SamplePoint(
      plannedAt: WallTime(microseconds: plannedAt), plannedMonotonic: plannedMonotonic,
      scheduleLag: scheduleLag, acceptLatency: accept, deliveryLatency: nil, state: then)
    known.valueNumber = valueNumber
    return known
  }
}
