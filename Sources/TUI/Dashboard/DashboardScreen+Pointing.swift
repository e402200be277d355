import ConstraintAnimation
import Measurement

/// Crosshair, boxes, and what the mouse does in plot and panel.
extension DashboardScreen {
  /// The cell of a plot under the pointer; `nil` elsewhere.
  private func place(of event: InputEvent, clampedTo pane: Int? = nil) -> PlotPosition? {
    let (x, y) = (Int(event.location.x) - plot.cellFrame.x0, Int(event.location.y) - plot.cellFrame.y0)
    let panes = plotPanes.panes
    let number = pane ?? panes.lastIndex { $0.x <= x } ?? 0
    guard panes.indices.contains(number), panes[number].geometry.rows > 0 else { return nil }
    let geometry = panes[number].geometry
    let column = x - panes[number].x - ScatterGeometry.gutter
    if pane != nil {
      return PlotPosition(
        pane: number, column: min(max(column, 0), geometry.columns - 1),
        y: min(max(y, geometry.bandRow), geometry.axisRow - 1))
    }
    guard column >= 0, column < geometry.columns, y >= geometry.bandRow, y < geometry.axisRow else {
      return nil
    }
    return PlotPosition(pane: number, column: column, y: y)
  }

  /// The notification nearest to a cell.
  func pick(at place: PlotPosition) -> PickedNotification? {
    probe(of: place.pane)?.nearest(to: place.column, y: place.y)
  }

  func probe(of pane: Int) -> PlotHitTester? {
    let panes = plotPanes.panes
    guard let content, panes.indices.contains(pane), panes[pane].geometry.rows > 0 else { return nil }
    return PlotHitTester(
      snapshot: shown, window: content.window, targets: content.targets, metrics: panes[pane].metrics,
      axis: content.axis(state, for: panes[pane].metrics), geometry: panes[pane].geometry,
      dots: appearance.glyphs.dots)
  }

  // MARK: - Mouse

  /// - Returns: whether the event was for the plot.
  func handleOnPlot(_ event: InputEvent) -> Bool {
    guard currentNotice == nil, !state.showsHelp else { return false }
    switch event.kind {
    case .mouseMove:
      hover(place(of: event))
      return false
    case .mouseDown: return press(event)
    case .mouseDrag: return move(event)
    case .mouseUp: return release(event)
    case .wheel, .key, .focusGained: return false
    case .focusLost:
      hover(nil)
      return false
    }
  }

  /// The crosshair follows the pointer and goes with it, unless the keyboard holds it.
  private func hover(_ place: PlotPosition?) {
    guard place != state.plot.crosshair, !state.plot.holdsCrosshair || place != nil else { return }
    if place != nil { state.plot.holdsCrosshair = false }
    state.plot.crosshair = place
    plot.invalidate()
  }

  private func press(_ event: InputEvent) -> Bool {
    guard let place = place(of: event) else {
      let (x, y) = (Int(event.location.x), Int(event.location.y))
      drag = host.cellFrame.contains(x: x, y: y) ? .panel(x: x, y: y) : nil
      return false
    }
    var action = state.plot.dragAction
    if event.modifiers.contains(.control) { action = .zoom }
    if event.modifiers.contains(.alt) { action = .select }
    drag = .plot(action, last: place, hasMoved: false)
    state.plot.box = action == .pan ? nil : PlotBox(at: place)
    plot.invalidate()
    return true
  }

  private func move(_ event: InputEvent) -> Bool {
    guard case .plot(let action, let last, _) = drag,
      let place = place(of: event, clampedTo: last.pane)
    else { return false }
    guard place != last else { return true }
    drag = .plot(action, last: place, hasMoved: true)
    if !state.plot.holdsCrosshair { state.plot.crosshair = place }
    switch action {
    case .pan:
      state.pan(columns: last.column - place.column, in: shown, of: plotGeometry.columns)
      // What fits itself to the data does not hang on the pointer.
      if case .fixed = state.range, place.y != last.y {
        moveLatency(by: Double(place.y - last.y) / Double(max(1, plotGeometry.rows)))
      }
      update()
    case .zoom, .select:
      state.plot.box?.end = place
      plot.invalidate()
    }
    return true
  }

  private func release(_ event: InputEvent) -> Bool {
    defer { drag = nil }
    switch drag {
    case .plot(let action, let last, let hasMoved):
      let box = state.plot.box
      state.plot.box = nil
      if !hasMoved {
        click(last)
      } else if let box, !box.isEmpty {
        if action == .zoom { zoom(to: box) } else { select(box) }
      }
      update()
      return true
    case .panel(let x, let y):
      if Int(event.location.x) == x, Int(event.location.y) == y { choose(atX: x, y: y) }
      return false
    case nil: return false
    }
  }

  /// Selects the notification under the pointer; next to nothing lets go of what was selected.
  private func click(_ place: PlotPosition) {
    if let pick = pick(at: place), abs(pick.column - place.column) <= 2, abs(pick.y - place.y) <= 1 {
      select(pick)
    } else {
      select(nil, by: nil)
    }
  }

  /// Plain turns zoom in time, with Alt or on the axis in latency, with Control (a pinch) in both: always about the
  /// pointer.
  func zoomByWheel(_ ticks: Int, _ event: InputEvent) {
    let (x, y) = (Int(event.location.x) - plot.cellFrame.x0, Int(event.location.y) - plot.cellFrame.y0)
    let pane = plotPanes.pane(at: x)
    let geometry = pane.geometry
    let column = x - pane.x - ScatterGeometry.gutter
    let isBoth = event.modifiers.contains(.control)
    let isLatency = isBoth || event.modifiers.contains(.alt) || column < 0
    if isBoth || !isLatency {
      let fraction = min(max(Double(column) / Double(max(1, geometry.columns)), 0), 1)
      state.zoom(in: ticks > 0, about: fraction, in: shown, columns: geometry.columns)
    }
    if isLatency {
      let position = (Double(geometry.axisRow - 1 - y) + 0.5) / Double(max(1, geometry.rows))
      scaleLatency(by: ticks > 0 ? 0.8 : 1.25, about: min(max(position, 0), 1))
    }
  }

  // MARK: - Keyboard

  /// Where keys zoom about: the crosshair, else the middle.
  var crosshairFraction: Double {
    guard state.plot.holdsCrosshair, let place = state.plot.crosshair else { return 0.5 }
    return (Double(place.column) + 0.5) / Double(max(1, plotGeometry.columns))
  }

  /// Takes the arrow keys while the crosshair is held.
  func isTakenByCrosshair(_ command: Command) -> Bool {
    guard state.plot.holdsCrosshair, state.overlay == nil, !state.showsHelp, currentNotice == nil else {
      return false
    }
    switch command {
    case .pan(let eighths): moveCrosshair(columns: eighths.signum() * (abs(eighths) > 1 ? 8 : 1), rows: 0)
    case .scroll(let rows): moveCrosshair(columns: 0, rows: rows)
    case .plot(.panUp): moveCrosshair(columns: 0, rows: -4)
    case .plot(.panDown): moveCrosshair(columns: 0, rows: 4)
    default: return false
    }
    return true
  }

  private func moveCrosshair(columns: Int, rows: Int) {
    guard var place = state.plot.crosshair else { return }
    let geometry = plotGeometry
    place.column = min(max(place.column + columns, 0), geometry.columns - 1)
    place.y = min(max(place.y + rows, geometry.bandRow), geometry.axisRow - 1)
    setCrosshair(place)
  }

  private func setCrosshair(_ place: PlotPosition) {
    state.plot.crosshair = place
    state.plot.box?.end = place
    plot.invalidate()
  }

  func toggleCrosshair() {
    state.plot.box = nil
    state.plot.holdsCrosshair.toggle()
    guard state.plot.holdsCrosshair else {
      state.plot.crosshair = nil
      return
    }
    let geometry = plotGeometry
    guard geometry.rows > 0, geometry.columns > 0 else { return }
    let middle = PlotPosition(
      pane: 0, column: geometry.columns / 2, y: geometry.firstRow + geometry.rows / 2)
    state.plot.crosshair = state.plot.crosshair ?? middle
  }

  /// Puts the crosshair on the next notification in time, or the one before.
  func step(forward: Bool) {
    if !state.plot.holdsCrosshair { toggleCrosshair() }
    guard let place = state.plot.crosshair, let probe = probe(of: place.pane), let pick = pick(at: place)
    else {
      return
    }
    // The first step goes to what is nearest, unless the crosshair is there already.
    let isThere = pick.column == place.column && pick.y == place.y
    let known = stepped.flatMap { $0.column == place.column && $0.y == place.y ? $0 : nil }
    guard let next = isThere ? probe.neighbor(of: known ?? pick, forward: forward) : pick else { return }
    stepped = next
    setCrosshair(PlotPosition(pane: place.pane, column: next.column, y: next.y))
  }

  func beginBox() {
    if state.plot.box != nil {
      state.plot.box = nil
    } else {
      if !state.plot.holdsCrosshair { toggleCrosshair() }
      state.plot.box = state.plot.crosshair.map(PlotBox.init(at:))
    }
  }

  func zoomToBox() {
    if let box = state.plot.box {
      state.plot.box = nil
      zoom(to: box)
    } else {
      zoomToSelection()
    }
  }

  private func zoom(to box: PlotBox) {
    guard let axis = axis(of: box.start.pane) else { return }
    let geometry = plotGeometry
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
}
