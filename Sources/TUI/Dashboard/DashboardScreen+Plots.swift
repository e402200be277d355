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
    if panes.count == 1 { return picture(of: panes[0], content) }
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    for pane in panes { picture.paste(self.picture(of: pane, content), x: pane.x) }
    return picture
  }

  private func picture(of pane: ScatterPanes.Pane, _ content: PlotContent) -> CellPicture {
    let metric = pane.metrics[0]
    let facts = content.facts(of: metric)
    let colors = SeriesColors(
      coloring: state.plot.coloring, targets: shown.targets.count, metrics: pane.metrics)
    let threshold = state.plot.threshold.map { ThresholdFigures(value: $0, values: facts.values) }
    return ScatterModel(
      snapshot: shown, window: content.window, targets: content.targets, metrics: pane.metrics,
      axis: content.axis(state, for: pane.metrics), isEmpty: facts.isEmpty, colors: colors,
      averages: state.plot.averages, threshold: state.plot.threshold,
      isLive: (shown.run?.isLive ?? false) && !state.isFrozen,
      title: ScatterTitle.line(
        facts: facts, summary: content.summary(of: metric), colors: colors, targets: shown.targets,
        shown: content.targets, averages: state.plot.averages, threshold: threshold,
        isTruncated: shown.isTruncated, width: pane.geometry.width, appearance: appearance),
      appearance: appearance, zone: zone, geometry: pane.geometry
    ).picture(&raster)
  }

  func histogramPicture(width: Int, height: Int) -> CellPicture {
    guard let content else { return CellPicture(width: width, height: height) }
    return HistogramModel(
      facts: content.facts, before: content.before, summary: content.summary, summaries: content.summaries,
      kind: state.plot.buckets, selected: [],
      targetStyle: content.targets.count == 1 ? appearance.target(content.targets[0]) : appearance(.bar),
      appearance: appearance, width: width, height: height
    ).picture()
  }
}
