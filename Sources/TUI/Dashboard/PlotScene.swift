import ConstraintAnimation
import Measurement
import Store

/// One plot as a value: what it shows, where, and on which axis. It draws the plot and finds what is under the pointer.
struct PlotScene {
  let snapshot: Snapshot
  let content: PlotContent
  /// The plot beside it, which has the same axis of latencies; `nil` for a single plot.
  let beside: PlotContent?
  let state: ViewState
  let panes: ScatterPanes
  /// The hours of the run, where they are on display.
  let calendar: CalendarFigures?
  /// Whether crosshair and box belong to this plot.
  let hasPointer: Bool
  /// The stretch whose columns are shaded; `nil` for none.
  var shaded: Range<WallTime>?
  /// `A nightly` where two plots are compared.
  var label: String?
  let appearance: Appearance
  let zone: LocalTime

  /// The size of one pane; all are alike.
  var geometry: ScatterGeometry { panes.panes[0].geometry }

  /// The axis of the pane with the metric that quantiles are given for.
  var axis: LatencyAxis? {
    axis(of: panes.panes.firstIndex { $0.metrics.contains(content.facts.metric) } ?? 0)
  }

  /// - Returns: `nil` when there is no such pane.
  func axis(of pane: Int) -> LatencyAxis? {
    guard panes.panes.indices.contains(pane) else { return nil }
    return content.axis(state, for: panes.panes[pane].metrics, with: beside)
  }

  /// Finds the notifications of a pane by position.
  func hitTester(of pane: Int) -> PlotHitTester? {
    guard let axis = axis(of: pane), panes.panes[pane].geometry.rows > 0 else { return nil }
    return PlotHitTester(
      snapshot: snapshot, window: content.window, targets: targets(of: pane),
      metrics: panes.panes[pane].metrics,
      axis: axis, geometry: panes.panes[pane].geometry, dots: appearance.glyphs.dots)
  }

  /// The notification nearest to a cell.
  func pick(at place: PlotPosition) -> PickedNotification? {
    hitTester(of: place.pane)?.nearest(to: place.column, y: place.y)
  }

  /// Where the crosshair is, and what it points at: the notification that a key has put it on, wherever that is now, else
  /// the nearest. `nil` without a crosshair.
  var crosshair: (place: PlotPosition, pick: PickedNotification?)? {
    guard hasPointer, let place = state.plot.crosshair else { return nil }
    let tester = hitTester(of: place.pane)
    if let pick = state.plot.stepped.flatMap({ tester?.refreshed($0) }) {
      return (PlotPosition(pane: place.pane, column: pick.column, y: pick.y), pick)
    }
    return (place, tester?.nearest(to: place.column, y: place.y))
  }

  /// The targets that a pane shows.
  private func targets(of pane: Int) -> [Int] { panes.panes[pane].target.map { [$0] } ?? content.targets }

  /// Brings a picture of the plot up to date.
  /// - Parameter kept: of the same picture.
  /// - Returns: where it may look different.
  func redraw(_ picture: inout CellPicture, _ kept: inout PlotCache) -> CellRegion {
    let (width, height) = (picture.width, picture.height)
    let all = CellRect(x0: 0, y0: 0, x1: width, y1: height)
    // Nothing is known of the store, not even what time it is about.
    if snapshot.condition == .opening || state.plot.view == .hours {
      kept.forgetPicture()
      picture = snapshot.condition == .opening ? opening(width: width, height: height) : hours(width, height)
      return CellRegion(all)
    }
    let isNew = kept.begin(panes, shaded: shadedColumns, appearance)
    if isNew {
      picture = TitleRow.picture(width: width, height: height, appearance)
    }
    picture.lines = []
    var region = CellRegion()
    for (number, pane) in panes.panes.enumerated() {
      var changed = model(of: number).redraw(&kept.panes[number])
      let drawn = kept.panes[number].picture
      if isNew { changed = CellRegion(CellRect(x0: 0, y0: 0, x1: drawn.width, y1: drawn.height)) }
      for part in changed.rects {
        picture.paste(drawn, part: part, x: pane.x, y: pane.y)
        region.insert(part.offsetBy(dx: pane.x, dy: pane.y))
      }
      picture.pasteLines(of: drawn, x: pane.x, y: pane.y)
      shade(&picture, pane)
      if isNew, pane.x > 0 { divide(&picture, before: pane) }
    }
    return isNew ? CellRegion(all) : region
  }

  private func hours(_ width: Int, _ height: Int) -> CellPicture {
    CalendarModel(
      figures: calendar.flatMap { $0.run == snapshot.run?.id && $0.order == calendarOrder ? $0 : nil },
      metric: content.facts.metric, place: content.targets.count == 1 ? content.targets[0] : 0,
      appearance: appearance, zone: zone, width: width, height: height
    ).picture()
  }

  private func opening(width: Int, height: Int) -> CellPicture {
    var picture = TitleRow.picture(width: width, height: height, appearance)
    picture.putCentered("opening\(appearance.glyphs.ellipsis)", style: appearance(.secondary))
    return picture
  }

  /// What the heat map of hours and days needs.
  var calendarOrder: CalendarOrder { CalendarOrder(targets: content.targets, metric: content.facts.metric) }

  /// Draws a line between a pane and the one to its left.
  private func divide(_ picture: inout CellPicture, before pane: ScatterPanes.Pane) {
    let (x, style) = (pane.x - 1, appearance(.faint))
    picture.set(appearance.glyphs.teeDown, x: x, y: pane.y, style: style)
    for y in pane.y + 1..<max(pane.y + 1, pane.y + pane.geometry.height) {
      picture.set(appearance.glyphs.vertical, x: x, y: y, style: style)
    }
  }

  /// The columns of each pane that are shaded; `nil` for none.
  private var shadedColumns: ClosedRange<Int>? {
    guard let shaded, shaded.lowerBound < content.window.end, shaded.upperBound > content.window.start else {
      return nil
    }
    let first = max(0, content.window.column(of: shaded.lowerBound))
    let last = min(geometry.columns - 1, content.window.column(of: shaded.upperBound))
    return first <= last ? first...last : nil
  }

  /// Shades a stretch of time behind the dots; with few colors only the time axis below them. Shaded cells stay as they are.
  private func shade(_ picture: inout CellPicture, _ pane: ScatterPanes.Pane) {
    let geometry = pane.geometry
    guard let columns = shadedColumns, geometry.rows > 0 else { return }
    let rows =
      appearance.hasManyColors ? geometry.bandRow...geometry.axisRow : geometry.axisRow...geometry.axisRow
    let tint = appearance.boxed
    for y in rows {
      for column in columns {
        picture.restyle(x: pane.x + ScatterGeometry.gutter + column, y: pane.y + y) {
          $0.background == nil ? tint($0) : $0
        }
      }
    }
  }

  /// - Parameter number: an index of `panes`.
  func model(of number: Int) -> ScatterModel {
    let pane = panes.panes[number]
    let metric = pane.metrics[0]
    let targets = targets(of: number)
    let sources = pane.target.map(content.sources.only) ?? content.sources
    var tiles = StatisticsTiles()
    let facts =
      pane.target == nil
      ? content.facts(of: metric)
      : WindowStatistics(
        sources, of: snapshot, targets: targets, metric: metric, includesPending: false, &tiles)
    let figures = content.figures(of: targets)
    let colors = content.colors(state, of: pane.metrics, in: snapshot)
    let threshold = state.plot.threshold.map {
      ShownThreshold(value: $0, figures: figures?.beyond($0, of: metric))
    }
    let overlay = hasPointer ? overlay(of: number) : ScatterOverlay()
    let title = ScatterTitle(
      facts: facts, summary: figures?.summary(of: metric) ?? WindowSummary(pending: metric), colors: colors,
      targets: snapshot.targets, shown: targets, target: pane.target, marks: marks(in: pane),
      key: state.plot.coloring.key,
      threshold: threshold, sums: facts.sums.isEmpty ? nil : snapshot.density?.name,
      openSums: content.openSums(in: snapshot), isReading: content.isReading,
      isReadingMarks: snapshot.axisMarks.from > content.window.start,
      pointed: pointedAt(in: number, overlay.pick), label: label, width: pane.geometry.width,
      appearance: appearance)
    return ScatterModel(
      snapshot: snapshot, sources: sources, targets: targets,
      metrics: pane.metrics,
      axis: content.axis(state, for: pane.metrics, with: beside), marks: marks(in: pane),
      isEmpty: facts.isEmpty,
      isReading: content.isReading, colors: colors, averages: state.plot.averages,
      threshold: state.plot.threshold, selection: hasPointer ? state.plot.selection : nil, overlay: overlay,
      isLive: (snapshot.run?.isLive ?? false) && !state.isFrozen, title: title.line, appearance: appearance,
      zone: zone, geometry: pane.geometry)
  }

  /// Percentiles by themselves where a column holds more notifications than it has room for, as many as the targets are
  /// asked for: what is drawn does not flicker with a rate.
  private func marks(in pane: ScatterPanes.Pane) -> PlotMarks {
    switch state.plot.view {
    case .minutes: return .minutes
    case .bands: return .bands
    case .dots, .hours: return .dots
    case .automatic:
      guard pane.metrics.count == 1 else { return .dots }
      let shown = pane.target.map { [$0] } ?? content.targets
      let rate = shown.reduce(0) {
        $0 + (snapshot.targets.indices.contains($1) ? snapshot.targets[$1].askedRate : 0)
      }
      let room = Double(pane.geometry.rows * DotEncoding.braille.rows * DotEncoding.braille.columns)
      return rate * content.window.scale.columnDuration.inSeconds >= room ? .bands : .dots
    }
  }

  private func overlay(of pane: Int) -> ScatterOverlay {
    var overlay = ScatterOverlay()
    if let box = state.plot.box, box.start.pane == pane { overlay.box = box }
    // The plot may have become smaller since the crosshair was placed.
    if state.plot.crosshair?.pane == pane, let (place, pick) = crosshair, place.column < geometry.columns,
      place.y < geometry.axisRow
    {
      overlay.crosshair = place
      overlay.pick = pick
    }
    return overlay
  }
}
