import ConstraintAnimation

/// Turns the events of the mouse into actions on plot and panel. It remembers what a button was pressed on.
struct PointerTracker {
  private var drag: PointerDrag?

  /// - Returns: what the event asks for, and whether it was for the plot and for nothing else.
  mutating func handle(_ event: InputEvent, _ state: ViewState, in context: ScreenContext) -> (
    action: PointerAction?, isTaken: Bool
  ) {
    let plot = PlotTarget(frame: context.plotFrame, panes: context.panes(state))
    let (x, y) = (Int(event.location.x), Int(event.location.y))
    switch event.kind {
    case .mouseMove: return (.hover(plot.place(x: x, y: y)), false)
    case .focusLost: return (.hover(nil), false)
    case .mouseDown: return press(event, plot, state.plot.dragAction, context.panelFrame)
    case .mouseDrag:
      guard case .plot(let action, let last, _) = drag, let place = plot.place(x: x, y: y, in: last.pane)
      else {
        return (nil, false)
      }
      guard place != last else { return (nil, true) }
      drag = .plot(action, last: place, hasMoved: true)
      return (.drag(action, from: last, to: place), true)
    case .mouseUp:
      defer { drag = nil }
      switch drag {
      case .plot(let action, let last, let hasMoved):
        return (.endDrag(action, at: last, hasMoved: hasMoved), true)
      case .panel(let pressedX, let pressedY):
        return (x == pressedX && y == pressedY ? .clickPanel(x: x, y: y) : nil, false)
      case nil: return (nil, false)
      }
    case .wheel, .key, .focusGained: return (nil, false)
    }
  }

  private mutating func press(
    _ event: InputEvent, _ plot: PlotTarget, _ preferred: DragAction, _ panel: CellRect
  ) -> (action: PointerAction?, isTaken: Bool) {
    let (x, y) = (Int(event.location.x), Int(event.location.y))
    guard let place = plot.place(x: x, y: y) else {
      drag = panel.contains(x: x, y: y) ? .panel(x: x, y: y) : nil
      return (nil, false)
    }
    var action = preferred
    if event.modifiers.contains(.control) { action = .zoom }
    if event.modifiers.contains(.alt) { action = .select }
    drag = .plot(action, last: place, hasMoved: false)
    return (.beginDrag(action, at: place), true)
  }

  /// The wheel scrolls the panel and zooms the plot about the pointer: time, with Alt or on the axis latency, with
  /// Control (a pinch) both.
  func turnWheel(_ ticks: Int, _ event: InputEvent, _ state: ViewState, in context: ScreenContext)
    -> [PointerAction]
  {
    let (x, y) = (Int(event.location.x), Int(event.location.y))
    guard ticks != 0 else { return [] }
    if context.panelFrame.contains(x: x, y: y) { return [.scrollPanel(rows: -3 * ticks)] }
    guard context.plotFrame.contains(x: x, y: y) else { return [] }
    let (plotX, plotY) = (x - context.plotFrame.x0, y - context.plotFrame.y0)
    let panes = context.panes(state)
    let pane = panes.panes[panes.number(atX: plotX, y: plotY)]
    let column = plotX - pane.x - ScatterGeometry.gutter
    let isBoth = event.modifiers.contains(.control)
    let isLatency = isBoth || event.modifiers.contains(.alt) || column < 0
    var actions: [PointerAction] = []
    if isBoth || !isLatency {
      let fraction = Double(column) / Double(max(1, pane.geometry.columns))
      actions.append(.zoomTime(isCloser: ticks > 0, about: min(max(fraction, 0), 1)))
    }
    if isLatency {
      let position =
        (Double(pane.geometry.axisRow - 1 - (plotY - pane.y)) + 0.5) / Double(max(1, pane.geometry.rows))
      actions.append(.zoomLatency(factor: ticks > 0 ? 0.8 : 1.25, about: min(max(position, 0), 1)))
    }
    return actions
  }
}

/// Finds the cell of a plot under the pointer.
private struct PlotTarget {
  let frame: CellRect
  let panes: ScatterPanes

  /// - Returns: `nil` outside the plots.
  func place(x: Int, y: Int) -> PlotPosition? {
    let number = panes.number(atX: x - frame.x0, y: y - frame.y0)
    let geometry = panes.panes[number].geometry
    let (column, row) = position(x: x, y: y, in: number)
    guard geometry.rows > 0, column >= 0, column < geometry.columns, row >= geometry.bandRow,
      row < geometry.axisRow
    else { return nil }
    return PlotPosition(pane: number, column: column, y: row)
  }

  /// The cell of a pane nearest to the pointer.
  func place(x: Int, y: Int, in number: Int) -> PlotPosition? {
    guard panes.panes.indices.contains(number), panes.panes[number].geometry.rows > 0 else { return nil }
    let geometry = panes.panes[number].geometry
    let (column, row) = position(x: x, y: y, in: number)
    return PlotPosition(
      pane: number, column: min(max(column, 0), geometry.columns - 1),
      y: min(max(row, geometry.bandRow), geometry.axisRow - 1))
  }

  private func position(x: Int, y: Int, in number: Int) -> (column: Int, row: Int) {
    (x - frame.x0 - panes.panes[number].x - ScatterGeometry.gutter, y - frame.y0 - panes.panes[number].y)
  }
}
