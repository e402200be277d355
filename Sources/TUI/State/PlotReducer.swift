import ConstraintAnimation
import Measurement
import Store

/// What commands do to the axis of latencies, to crosshair and box.
extension Reducer {
  // MARK: - Axis of latencies

  /// Fits all, caps at the 99th percentile, keeps the range that is shown.
  mutating func nextRange() {
    switch state.range {
    case .automatic: state.range = .capped
    case .capped: if let axis = plot?.axis { state.range = .fixed(lower: axis.lower, upper: axis.upper) }
    case .fixed: state.range = .automatic
    }
    switch state.range {
    case .automatic: say("the axis fits all latencies")
    case .capped: say("the axis ends at p99")
    case .fixed: say("the axis keeps its range")
    }
  }

  mutating func toggleMultiples() {
    state.plot.hasMultiples.toggle()
    guard state.plot.hasMultiples else { return say("one pane for all targets") }
    if state.comparison != nil {
      say("two plots are compared: they have a pane each", .warning)
    } else if state.shownTargets(in: shown).count < 2 {
      say("there is one target only", .warning)
    } else if context.panes(state).panes.count < 2 {
      say("there is no room for a pane for each target", .warning)
    } else {
      say("a pane for each target")
    }
  }

  mutating func nextTarget() {
    guard shown.targets.count > 1 else { return say("the run has one target") }
    if case .targets = state.comparison, shown.targets.count == 2 {
      return say("the run has no other target to compare with")
    }
    state.nextTarget(in: shown)
    sayTarget()
  }

  mutating func sayTarget() {
    if case .targets(_, let second) = state.comparison {
      say("compared with \(shown.targets[second].name)")
    } else {
      say(state.target.map { "\(shown.targets[$0].name) alone" } ?? "all targets")
    }
  }

  mutating func toggleThreshold() {
    defer { say(state.plot.thresholdText) }
    guard state.plot.threshold == nil else {
      state.plot.threshold = nil
      return
    }
    guard let plot else { return }
    if state.plot.holdsCrosshair, let place = state.plot.crosshair, let axis = plot.axis(of: place.pane) {
      let share = (Double(geometry.axisRow - 1 - place.y) + 0.5) / Double(max(1, geometry.rows))
      state.plot.threshold = max(1, Int64(axis.value(at: share).rounded()))
      return
    }
    let value =
      plot.content.summary[.p99].value ?? plot.content.facts.largest ?? Duration.seconds(1).microseconds
    state.plot.threshold = LatencyAxis.niceCeiling(max(1, value))
  }

  /// Shows a multiple of the range, about a place: 0 is the lower edge of the axis, 1 the upper one.
  mutating func scaleLatency(by factor: Double, about position: Double) {
    guard let axis = plot?.axis else { return }
    state.range = axis.range(from: position - position * factor, to: position + (1 - position) * factor)
  }

  /// Moves the range by a share of its height.
  mutating func moveLatency(by share: Double) {
    guard let axis = plot?.axis else { return }
    state.range = axis.range(from: share, to: 1 + share)
  }

  // MARK: - Crosshair and box

  var crosshairTakesArrows: Bool { state.plot.holdsCrosshair && !context.isCovered }

  /// A crosshair on a notification has gone with it since it was put there.
  mutating func followNotification() {
    guard let stepped = state.plot.stepped, let place = state.plot.crosshair,
      let pick = plot?.hitTester(of: place.pane)?.refreshed(stepped)
    else { return }
    state.plot.putCrosshair(on: pick, pane: place.pane)
  }

  /// Where keys zoom about: the crosshair, else the middle.
  var crosshairFraction: Double {
    guard state.plot.holdsCrosshair, let place = state.plot.crosshair else { return 0.5 }
    return (Double(place.column) + 0.5) / Double(max(1, geometry.columns))
  }

  mutating func moveCrosshair(columns: Int, rows: Int) {
    state.plot.moveCrosshair(columns: columns, rows: rows, in: geometry)
  }

  /// Puts the crosshair on the next notification in time, or the one before; first of all on the nearest one, or, where none is near, on
  /// the first from its column on, or the last up to it.
  mutating func step(forward: Bool) {
    if !state.plot.holdsCrosshair { state.plot.toggleCrosshair(in: geometry) }
    guard let plot, let (place, pick) = plot.crosshair, let tester = plot.hitTester(of: place.pane) else {
      return
    }
    let next: PickedNotification?
    if let pick {
      let isThere = pick.column == place.column && pick.y == place.y
      next = isThere ? tester.neighbor(of: pick, forward: forward) : pick
    } else {
      next = tester.neighbor(ofColumn: place.column, forward: forward) ?? other(place, tester, forward)
    }
    guard let next else {
      return say(
        forward ? "no notification after this in the window" : "no notification before this in the window")
    }
    state.plot.putCrosshair(on: next, pane: place.pane)
    state.plot.box?.end = state.plot.crosshair ?? place
  }

  /// Where no notification is in the direction that was asked for, the one that is nearest in the other.
  private mutating func other(_ place: PlotPosition, _ tester: PlotHitTester, _ forward: Bool)
    -> PickedNotification?
  {
    let other = tester.neighbor(ofColumn: place.column, forward: !forward)
    if other != nil { say("the \(forward ? "last" : "first") notification of the window") }
    return other
  }

  mutating func zoomToBox() {
    guard let box = state.plot.box else { return zoomToSelection() }
    state.plot.box = nil
    zoom(to: box)
  }

  mutating func zoom(to box: PlotBox) {
    guard let axis = plot?.axis(of: box.start.pane) else { return }
    let geometry = geometry
    let columns = max(0, box.columns.lowerBound)...max(0, box.columns.upperBound)
    if geometry.rows > 0, box.rows.count < geometry.rows {
      func position(below y: Int) -> Double {
        min(max(Double(geometry.axisRow - y) / Double(geometry.rows), 0), 1)
      }
      state.range = axis.range(
        from: position(below: box.rows.upperBound + 1), to: position(below: box.rows.lowerBound))
    }
    state.zoom(to: columns, in: shown, columns: geometry.columns)
  }

  /// Fits time and latency to the selection.
  mutating func zoomToSelection() {
    guard let content = context.content, let selection = state.plot.selection else {
      return sayNothingSelected()
    }
    var times: ClosedRange<WallTime>?
    for track in shown.tracks {
      selection.forEach(of: track, in: 0..<track.count) { _, point in
        let plannedAt = WallTime(microseconds: point.plannedAt)
        let range = times ?? plannedAt...plannedAt
        times = min(range.lowerBound, plannedAt)...max(range.upperBound, plannedAt)
      }
    }
    guard let times else { return }
    let window = content.window
    let first = window.column(of: times.lowerBound)
    let last = window.column(of: times.upperBound)
    state.range = .automatic
    state.zoom(to: first - 1...last + 1, in: shown, columns: geometry.columns)
  }
}
