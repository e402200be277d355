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
  /// Whether crosshair and box belong to this plot.
  let hasPointer: Bool
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
      snapshot: snapshot, window: content.window, targets: content.targets,
      metrics: panes.panes[pane].metrics,
      axis: axis, geometry: panes.panes[pane].geometry, dots: appearance.glyphs.dots)
  }

  /// The notification nearest to a cell.
  func pick(at place: PlotPosition) -> PickedNotification? {
    hitTester(of: place.pane)?.nearest(to: place.column, y: place.y)
  }

  /// - Parameter raster: scratch, kept between frames for its memory.
  func picture(width: Int, height: Int, _ raster: inout DotRaster) -> CellPicture {
    if panes.panes.count == 1 { return model(of: 0).picture(&raster) }
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    for (number, pane) in panes.panes.enumerated() {
      picture.paste(model(of: number).picture(&raster), x: pane.x)
    }
    return picture
  }

  /// - Parameter number: an index of `panes`.
  func model(of number: Int) -> ScatterModel {
    let pane = panes.panes[number]
    let metric = pane.metrics[0]
    let facts = content.facts(of: metric)
    let colors = SeriesColors(
      coloring: state.plot.coloring, targets: snapshot.targets.count, metrics: pane.metrics)
    let threshold = state.plot.threshold.map {
      ShownThreshold(value: $0, figures: content.figures?.beyond($0, of: metric))
    }
    return ScatterModel(
      snapshot: snapshot, window: content.window, targets: content.targets, metrics: pane.metrics,
      axis: content.axis(state, for: pane.metrics, with: beside), isEmpty: facts.isEmpty,
      isReading: content.isReading, colors: colors, averages: state.plot.averages,
      threshold: state.plot.threshold, overlay: hasPointer ? overlay(of: number) : ScatterOverlay(),
      isLive: (snapshot.run?.isLive ?? false) && !state.isFrozen,
      title: ScatterTitle.line(
        facts: facts, summary: content.summary(of: metric), colors: colors, targets: snapshot.targets,
        shown: content.targets, averages: state.plot.averages, threshold: threshold,
        sums: facts.sums.isEmpty ? nil : snapshot.density?.name, openSums: content.openSums(in: snapshot),
        isTruncated: snapshot.isTruncated, isReading: content.isReading,
        isReadingMarks: snapshot.axisMarks.from > content.window.start, width: pane.geometry.width,
        appearance: appearance),
      appearance: appearance, zone: zone, geometry: pane.geometry)
  }

  private func overlay(of pane: Int) -> ScatterOverlay {
    var overlay = ScatterOverlay(selection: state.plot.selection)
    if let box = state.plot.box, box.start.pane == pane { overlay.box = box }
    // The plot may have become smaller since the crosshair was placed.
    if let place = state.plot.crosshair, place.pane == pane, place.column < geometry.columns,
      place.y < geometry.axisRow
    {
      overlay.crosshair = place
      overlay.pick = pick(at: place)
    }
    return overlay
  }
}
