import Measurement

extension ViewState {
  /// Moves the window by eighths of its width; one that comes back to the newest follows it again.
  mutating func pan(eighths: Int, in snapshot: Snapshot, columns: Int) {
    pan(columns: eighths * max(1, columns / 8), in: snapshot, of: columns)
  }

  /// The same by single columns of the plot's.
  mutating func pan(columns count: Int, in snapshot: Snapshot, of columns: Int) {
    let now = window(in: snapshot, columns: columns)
    let moved = now.moved(byColumns: count)
    var following = self
    following.anchor = .edge
    following.scale = now.scale
    if count > 0, moved.firstColumn >= following.window(in: snapshot, columns: columns).firstColumn {
      self = following
    } else if count != 0 {
      settle(moved, in: snapshot)
    }
  }

  /// Shows some of the window's columns as large as whole scales allow.
  mutating func zoom(to shown: ClosedRange<Int>, in snapshot: Snapshot, columns: Int) {
    let now = window(in: snapshot, columns: columns)
    let duration = Int64(shown.count) * now.scale.columnDuration
    let scale = TimeScale(columnAtLeast: (duration + Int64(columns) - 1) / Int64(max(1, columns)))
    let middle = Int64(shown.lowerBound + shown.upperBound + 1) * now.scale.columnDuration / 2
    settle(
      TimeWindow(around: now.start.advanced(byMicroseconds: middle), at: 0.5, scale: scale, columns: columns),
      in: snapshot)
  }

  /// Shows less time, or more, about a place: 0 is the left edge, 1 the right one.
  mutating func zoom(in isCloser: Bool, about fraction: Double, in snapshot: Snapshot, columns: Int) {
    let now = window(in: snapshot, columns: columns)
    let scale = isCloser ? now.scale.finer : now.scale.coarser
    guard scale != now.scale else { return }
    self.scale = scale
    // A window that follows goes on following.
    if anchor == .edge { return }
    let moment = now.start.advanced(byMicroseconds: Int64(Double(now.duration) * fraction))
    settle(TimeWindow(around: moment, at: fraction, scale: scale, columns: columns), in: snapshot)
  }

  /// Takes the window as its own.
  mutating func settle(_ window: TimeWindow, in snapshot: Snapshot) {
    scale = window.scale
    // Nothing is to be seen before the run.
    var window = window
    if let start = snapshot.run?.startedAt, window.end < start {
      window = TimeWindow(around: start, at: 0.9, scale: window.scale, columns: window.columns)
    }
    anchor = .at(
      window.start.advanced(byMicroseconds: Int64(window.columns / 2) * window.scale.columnDuration))
  }

  mutating func toggleFrozen(in snapshot: Snapshot) {
    frozenAt = isFrozen ? nil : snapshot.edge
  }

  mutating func follow() {
    anchor = .edge
    frozenAt = nil
    replay = nil
    logPosition = .end
    eventPosition = .end
  }

  /// Another run is on display: what was said about places and times of the last one does not hold.
  mutating func beginRun() {
    follow()
    scale = nil
    target = nil
    if case .targets = comparison { comparison = nil }
  }

  /// Shows a moment, in the middle, or as the end of what is known while the run is replayed.
  mutating func goTo(_ moment: WallTime, in snapshot: Snapshot, columns: Int) {
    if replay != nil {
      replay?.position = moment
      anchor = .edge
      return
    }
    let scale = window(in: snapshot, columns: columns).scale
    settle(TimeWindow(around: moment, at: 0.5, scale: scale, columns: columns), in: snapshot)
  }

  /// All targets, then one after the other.
  mutating func nextTarget(in snapshot: Snapshot) {
    guard snapshot.targets.count > 1 else { return }
    switch target {
    case nil: target = 0
    case let index? where index + 1 < snapshot.targets.count: target = index + 1
    default: target = nil
    }
  }

  mutating func scroll(
    _ panel: Panel, by count: Int, in snapshot: Snapshot, _ listed: ListedRows, rows: Int
  ) {
    switch panel {
    case .histogram: break
    case .runs: runs.move(by: count, in: snapshot.runs, rows: rows)
    case .log:
      logPosition = moved(logPosition, by: count, listed.log.map(\.number), listed.logExtent, rows: rows)
    case .events:
      eventPosition = moved(
        eventPosition, by: count, listed.events.map(\.number), listed.eventExtent, rows: rows)
    }
  }

  /// The ends of a list may lie beyond what is at hand.
  private func moved(
    _ position: ListPosition, by count: Int, _ numbers: [Int64], _ extent: ListExtent, rows: Int
  ) -> ListPosition {
    if count <= -Self.toEnd, extent.total > rows { return .at(.min) }
    let moved = position.moved(by: count, in: numbers, rows: rows)
    guard moved == .end, count < Self.toEnd, !extent.reachesEnd, let last = numbers.last else { return moved }
    return .at(last)
  }

  /// Rows by which a list moves to one of its ends.
  static let toEnd = 1_000_000
}
