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

  func firstPlotPicture(width: Int, height: Int) -> CellPicture {
    guard let content else { return CellPicture(width: width, height: height) }
    return plotPicture(content, of: shown, beside: otherContent, width: width, height: height)
  }

  /// What is compared with the first.
  func secondPlotPicture(width: Int, height: Int) -> CellPicture {
    guard let content, let otherContent, let snapshot = second?.snapshot else {
      return CellPicture(width: width, height: height)
    }
    return plotPicture(otherContent, of: snapshot, beside: content, width: width, height: height)
  }

  /// - Parameter other: has the same scale of latencies.
  private func plotPicture(
    _ content: PlotContent, of snapshot: Snapshot, beside other: PlotContent?, width: Int, height: Int
  ) -> CellPicture {
    let panes = panes(width: width, height: height).panes
    if panes.count == 1 { return picture(of: panes[0], number: 0, content, snapshot, other) }
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    for (number, pane) in panes.enumerated() {
      picture.paste(self.picture(of: pane, number: number, content, snapshot, other), x: pane.x)
    }
    return picture
  }

  private func picture(
    of pane: ScatterPanes.Pane, number: Int, _ content: PlotContent, _ snapshot: Snapshot,
    _ other: PlotContent?
  ) -> CellPicture {
    model(of: pane, number: number, content, in: snapshot, beside: other).picture(&raster)
  }

  /// One of the plots, ready to be drawn or asked about.
  func model(
    of pane: ScatterPanes.Pane, number: Int, _ content: PlotContent, in snapshot: Snapshot? = nil,
    beside other: PlotContent? = nil
  ) -> ScatterModel {
    // Crosshair and box are the first plot's.
    let isFirst =
      snapshot == nil || content.window == self.content?.window && content.targets == self.content?.targets
    let snapshot = snapshot ?? shown
    let other = other ?? (isFirst ? otherContent : nil)
    let metric = pane.metrics[0]
    let facts = content.facts(of: metric)
    let colors = SeriesColors(
      coloring: state.plot.coloring, targets: snapshot.targets.count, metrics: pane.metrics)
    let threshold = state.plot.threshold.map {
      ThresholdFigures(value: $0, values: facts.values, sums: facts.sums, due: facts.counts.due)
    }
    return ScatterModel(
      snapshot: snapshot, window: content.window, targets: content.targets, metrics: pane.metrics,
      axis: content.axis(state, for: pane.metrics, with: other), isEmpty: facts.isEmpty,
      isReading: content.isReading, colors: colors,
      averages: state.plot.averages, threshold: state.plot.threshold,
      overlay: isFirst ? overlay(of: number) : ScatterOverlay(),
      isLive: (snapshot.run?.isLive ?? false) && !state.isFrozen,
      title: ScatterTitle.line(
        facts: facts, summary: content.summary(of: metric), colors: colors, targets: snapshot.targets,
        shown: content.targets, averages: state.plot.averages, threshold: threshold,
        sums: facts.sums.isEmpty ? nil : snapshot.density?.name,
        openSums: Self.openSums(of: snapshot, content),
        isTruncated: snapshot.isTruncated, isReading: content.isReading,
        isReadingMarks: snapshot.axisMarks.from > content.window.start, width: pane.geometry.width,
        appearance: appearance),
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
    if let differences {
      return ComparisonModel(
        facts: differences, names: comparedNames,
        isReading: content?.isReading ?? false || otherContent?.isReading ?? false, appearance: appearance,
        width: width, height: height
      ).picture()
    }
    return plainHistogramPicture(width: width, height: height)
  }

  private func plainHistogramPicture(width: Int, height: Int) -> CellPicture {
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
      isReading: content.isReading,
      openSums: Self.openSums(of: shown, content),
      appearance: appearance, width: width, height: height)
  }

  /// The name of the sums that a window is drawn from, where some of them are not over yet.
  private static func openSums(of snapshot: Snapshot, _ content: PlotContent) -> String? {
    guard let density = snapshot.density else { return nil }
    let window = content.window
    return density.isAnyOpen(of: content.targets, from: window.start, to: window.end) ? density.name : nil
  }
}
