import ConstraintAnimation
import Measurement

/// One selection for all panels.
extension DashboardScreen {
  /// What the lists mark.
  var selectionMarks: SelectionMarks? { state.plot.selection.map { SelectionMarks($0, in: shown) } }

  /// Selects, or lets go.
  func select(_ selection: Selection?, by choice: PanelChoice?) {
    let selection = selection.flatMap { $0.isEmpty ? nil : $0 }
    state.plot.selection = selection
    state.plot.choice = choice
    for view in [plot] + pages.values { view.invalidate() }
    if let selection {
      let count = selection.count
      say(
        FooterMessage(
          text: "\(FixedPoint.grouped(count)) selected, \(selection.label): Enter lists, e writes a CSV file",
          role: .strong))
    } else {
      say(nil)
    }
  }

  func select(_ pick: PickedNotification) {
    var selection = Selection(label: "at the crosshair")
    selection.add(pick.sequence, of: shown.tracks[pick.target].target)
    select(selection, by: nil)
  }

  func select(_ box: PlotBox) {
    guard let probe = probe(of: box.start.pane) else { return }
    let selection = probe.selection(in: box)
    select(selection, by: nil)
    if selection.isEmpty { say(sumsInView ?? "nothing in the box") }
  }

  /// Fits time and latency to what is selected.
  func zoomToSelection() {
    guard let content, let selection = state.plot.selection else { return }
    var times: ClosedRange<Int64>?
    for track in shown.tracks {
      selection.forEach(of: track, in: 0..<track.count) { _, point in
        let range = times ?? point.plannedAt...point.plannedAt
        times = min(range.lowerBound, point.plannedAt)...max(range.upperBound, point.plannedAt)
      }
    }
    guard let times else { return }
    let window = content.window
    let first = window.column(of: WallTime(microseconds: times.lowerBound))
    let last = window.column(of: WallTime(microseconds: times.upperBound))
    state.range = .automatic
    state.zoom(to: first - 1...last + 1, in: shown, columns: plotGeometry.columns)
  }

  // MARK: - In the panels

  /// What a click in the panel chooses.
  func choose(atX x: Int, y: Int) {
    let frame = host.cellFrame
    switch state.panel {
    case .histogram:
      let model = histogramModel(width: frame.width, height: frame.height)
      if let buckets = model?.buckets,
        let bucket = buckets.bucket(at: x - frame.x0 - HistogramModel.gutter)
      {
        choose(bucket: bucket, of: buckets)
      }
    case .log:
      let visible = state.logPosition.visible(in: listed.log.lazy.map(\.number), rows: listRows)
      let row = y - frame.y0 - 1
      if row >= 0, row < visible.count { choose(listed.log[visible.lowerBound + row]) }
    case .events:
      let visible = state.eventPosition.visible(in: listed.events.lazy.map(\.number), rows: listRows)
      let row = y - frame.y0 - 2
      if row >= 0, row < visible.count { choose(listed.events[visible.lowerBound + row]) }
    // The list of runs listens for taps itself.
    case .runs: break
    }
    update()
  }

  /// The next bucket, log line or event, or the one before: that nearest to the end at first.
  func choose(forward: Bool) {
    let frame = host.cellFrame
    switch state.panel {
    case .histogram:
      guard let buckets = histogramModel(width: frame.width, height: frame.height)?.buckets else { return }
      var bucket = forward ? -1 : buckets.now.count
      if case .bucket(let chosen) = state.plot.choice { bucket = chosen }
      repeat {
        bucket += forward ? 1 : -1
      } while buckets.now.indices.contains(bucket) && buckets.now[bucket] == 0
      if buckets.now.indices.contains(bucket) { choose(bucket: bucket, of: buckets) }
    case .log:
      let numbers = listed.log.map(\.number)
      guard let index = neighbor(of: state.plot.chosenLogLine, in: numbers, forward: forward) else { return }
      state.logPosition = shownPosition(state.logPosition, of: index, in: numbers)
      choose(listed.log[index])
    case .events:
      let numbers = listed.events.map(\.number)
      guard let index = neighbor(of: state.plot.chosenEvent, in: numbers, forward: forward) else { return }
      state.eventPosition = shownPosition(state.eventPosition, of: index, in: numbers)
      choose(listed.events[index])
    case .runs: state.runs.move(by: forward ? 1 : -1, in: latest.runs, rows: listRows)
    }
  }

  private func neighbor(of number: Int64?, in numbers: [Int64], forward: Bool) -> Int? {
    guard let number else { return numbers.indices.last }
    let place = numbers.firstIndexInOrder(notBelow: number) + (forward ? 1 : -1)
    return numbers.indices.contains(place) ? place : nil
  }

  /// The list's position after it has come as far as it must for an entry to be in view.
  private func shownPosition(_ position: ListPosition, of index: Int, in numbers: [Int64]) -> ListPosition {
    let visible = position.visible(in: numbers, rows: listRows)
    if visible.contains(index) { return position }
    let last = index < visible.lowerBound ? min(numbers.count, index + listRows) - 1 : index
    return last >= numbers.count - 1 ? .end : .at(numbers[max(0, last)])
  }

  private func choose(bucket: Int, of buckets: Buckets) {
    guard let content else { return }
    let (from, to) = buckets.bounds(of: bucket)
    let selection = Selection(
      in: shown, window: content.window, targets: content.targets, metric: content.facts.metric, from: from,
      to: to)
    select(selection, by: .bucket(bucket))
    if selection.isEmpty, let sumsInView { say(sumsInView) }
  }

  /// Why nothing can be selected where there are only sums; `nil` where there are none.
  private var sumsInView: String? {
    content?.facts.sums.isEmpty ?? true
      ? nil : "too many to tell apart here: zoom in until the sums have become notifications"
  }

  private func choose(_ entry: ListEntry<LogLine>) {
    select(
      Selection(underWayAt: entry.row.at, target: entry.row.target, in: shown, label: "under way then"),
      by: .logLine(entry.number))
  }

  private func choose(_ entry: ListEntry<Event>) {
    select(Selection(of: entry.row, in: shown), by: .event(entry.number))
  }

  // MARK: - Letting go, listing, writing

  /// Escape: one thing after the other, the one on top first.
  func letGo() {
    if state.plot.box != nil {
      state.plot.box = nil
    } else if state.plot.holdsCrosshair {
      toggleCrosshair()
    } else if state.plot.selection != nil {
      select(nil, by: nil)
    } else {
      state.filter = nil
    }
    update()
  }

  func listSelection() {
    if let box = state.plot.box {
      state.plot.box = nil
      select(box)
    } else if state.plot.holdsCrosshair, state.plot.selection == nil, let place = state.plot.crosshair,
      let pick = pick(at: place)
    {
      select(pick)
    }
    if state.plot.selection == nil {
      say("nothing is selected: click or drag in the plot, or press i, then Enter")
    } else {
      open(.selection(firstRow: 0))
    }
  }

  func exportSelection() -> Effect? {
    guard let selection = state.plot.selection else {
      say("nothing is selected: click or drag in the plot, or press i, then Enter")
      return nil
    }
    return .export(.samples(selection.ids(in: shown.tracks.map(\.target))))
  }

}
