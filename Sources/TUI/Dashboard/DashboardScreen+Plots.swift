import ConstraintAnimation
import Measurement

extension DashboardScreen {
  /// How the plot's rectangle is divided now.
  var plotPanes: ScatterPanes { panes(width: plot.cellFrame.width, height: plot.cellFrame.height) }

  func panes(width: Int, height: Int) -> ScatterPanes {
    ScatterPanes(
      width: width, height: height, metrics: state.metrics(in: shown), arrangement: state.plot.arrangement)
  }

  /// Of the plot, or of each when there are two side by side.
  var plotGeometry: ScatterGeometry { plotPanes.panes[0].geometry }

  func plotPicture(width: Int, height: Int) -> CellPicture {
    guard let content else { return CellPicture(width: width, height: height) }
    let panes = panes(width: width, height: height).panes
    if panes.count == 1 { return picture(of: panes[0], number: 0, content) }
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    for (number, pane) in panes.enumerated() {
      picture.paste(self.picture(of: pane, number: number, content), x: pane.x)
    }
    return picture
  }

  private func picture(of pane: ScatterPanes.Pane, number: Int, _ content: PlotContent) -> CellPicture {
    model(of: pane, number: number, content).picture(&raster)
  }

  /// One of the plots, ready to be drawn or asked about.
  func model(of pane: ScatterPanes.Pane, number: Int, _ content: PlotContent) -> ScatterModel {
    let metric = pane.metrics[0]
    let facts = content.facts(of: metric)
    let colors = SeriesColors(
      coloring: state.plot.coloring, targets: shown.targets.count, metrics: pane.metrics)
    let threshold = state.plot.threshold.map { ThresholdFigures(value: $0, values: facts.values) }
    return ScatterModel(
      snapshot: shown, window: content.window, targets: content.targets, metrics: pane.metrics,
      axis: content.axis(state, for: pane.metrics), isEmpty: facts.isEmpty, colors: colors,
      averages: state.plot.averages, threshold: state.plot.threshold,
      overlay: overlay(of: number),
      isLive: (shown.run?.isLive ?? false) && !state.isFrozen,
      title: ScatterTitle.line(
        facts: facts, summary: content.summary(of: metric), colors: colors, targets: shown.targets,
        shown: content.targets, averages: state.plot.averages, threshold: threshold,
        isTruncated: shown.isTruncated, width: pane.geometry.width, appearance: appearance),
      appearance: appearance, zone: zone, geometry: pane.geometry)
  }

  private func overlay(of pane: Int) -> ScatterOverlay {
    var overlay = ScatterOverlay(selection: state.plot.selection)
    if let box = state.plot.box, box.start.pane == pane { overlay.box = box }
    // The plot may have become smaller since.
    let geometry = plotGeometry
    if let place = state.plot.crosshair, place.pane == pane, place.column < geometry.columns,
      place.y < geometry.axisRow
    {
      overlay.crosshair = place
      overlay.pick = pick(at: place)
    }
    return overlay
  }

  func histogramPicture(width: Int, height: Int) -> CellPicture {
    histogramModel(width: width, height: height)?.picture() ?? CellPicture(width: width, height: height)
  }

  func histogramModel(width: Int, height: Int) -> HistogramModel? {
    guard let content else { return nil }
    let selected = state.plot.selection?.values(
      in: shown, window: content.window, targets: content.targets, metric: content.facts.metric)
    return HistogramModel(
      facts: content.facts, before: content.before, summary: content.summary, summaries: content.summaries,
      kind: state.plot.buckets, selected: selected ?? [],
      targetStyle: content.targets.count == 1 ? appearance.target(content.targets[0]) : appearance(.bar),
      appearance: appearance, width: width, height: height)
  }
}
