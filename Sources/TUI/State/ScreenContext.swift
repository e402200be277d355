import ConstraintAnimation
import Measurement
import Store

/// Provides the present state and context to whatever draws from them.
typealias ScreenSource = () -> (state: ViewState, context: ScreenContext)

/// What commands and pictures depend on besides the `ViewState`: what was read, and what is where on the screen.
struct ScreenContext {
  /// The newest snapshot.
  var latest = Snapshot()
  /// The snapshot on display: the newest, or an older one while the view is frozen or a run is replayed.
  var shown = Snapshot()
  /// The newest snapshot of the second run, while two runs are compared.
  var other = Snapshot()
  /// Of the first plot; `nil` while there is nothing to plot.
  var content: PlotContent?
  var otherContent: PlotContent?
  /// How the quantiles of the two plots differ; `nil` with one plot.
  var differences: ComparisonFigures?
  /// What the reader's thread has taken of the runs on display.
  var figures = DisplayedFigures()
  /// The first plot, in cells of the window.
  var plotFrame = CellRect.zero
  var panelFrame = CellRect.zero
  var activePanel = Panel.histogram
  var listed = ListedRows()
  /// The arrangement in force.
  var arrangement = Arrangement.below
  /// A notice covers the dashboard: no store, no run, or too small a terminal.
  var hasNotice = false
  /// The help or an overlay is open.
  var isCovered = false
  var appearance: Appearance
  var motion = MotionLevel.full
  var options = ScreenOptions()

  /// How a plot of this size is divided among the metrics.
  func panes(_ state: ViewState, width: Int, height: Int) -> ScatterPanes {
    if state.plot.hasMultiples, state.comparison == nil, state.plot.view != .hours {
      return ScatterPanes(
        width: width, height: height, metrics: [state.metric(in: shown)],
        targets: state.shownTargets(in: shown))
    }
    return ScatterPanes(
      width: width, height: height, metrics: state.metrics(in: shown), arrangement: state.plot.arrangement)
  }

  /// How the first plot is divided now.
  func panes(_ state: ViewState) -> ScatterPanes {
    panes(state, width: plotFrame.width, height: plotFrame.height)
  }

  /// The first plot as it is now; `nil` while there is nothing to plot.
  func plot(_ state: ViewState) -> PlotScene? {
    plot(state, width: plotFrame.width, height: plotFrame.height)
  }

  func plot(_ state: ViewState, width: Int, height: Int) -> PlotScene? {
    content.map {
      PlotScene(
        snapshot: shown, content: $0, beside: otherContent, state: state,
        panes: panes(state, width: width, height: height), calendar: figures.calendar, hasPointer: true,
        appearance: appearance,
        zone: options.zone)
    }
  }

  /// The plot that is compared with the first; `nil` without a comparison.
  func otherPlot(_ state: ViewState, width: Int, height: Int) -> PlotScene? {
    guard let content, let otherContent, let (snapshot, _) = state.second(beside: shown, other: other) else {
      return nil
    }
    return PlotScene(
      snapshot: snapshot, content: otherContent, beside: content, state: state,
      panes: panes(state, width: width, height: height), calendar: nil, hasPointer: false,
      appearance: appearance,
      zone: options.zone)
  }

  func histogram(_ state: ViewState, width: Int, height: Int) -> HistogramModel? {
    guard let content else { return nil }
    let selected = state.plot.selection?.values(
      in: shown, window: content.window, targets: content.targets, metric: content.facts.metric)
    return HistogramModel(
      facts: content.facts.counting(content.figures?.pings ?? []), before: content.before,
      summary: content.summary, summaries: content.summaries,
      kind: state.plot.buckets, selected: selected ?? [],
      targetStyle: content.targets.count == 1 ? appearance.target(content.targets[0]) : appearance(.bar),
      isReading: content.isReading, openSums: content.openSums(in: shown), appearance: appearance,
      width: width, height: height)
  }

  /// The histogram, or the differences between two plots.
  func histogramPicture(_ state: ViewState, width: Int, height: Int) -> CellPicture {
    guard let differences else {
      return histogram(state, width: width, height: height)?.picture()
        ?? CellPicture(width: width, height: height)
    }
    return ComparisonModel(
      facts: differences, names: comparedNames(state),
      isReading: content?.isReading ?? false || otherContent?.isReading ?? false, appearance: appearance,
      width: width, height: height
    ).picture()
  }

  /// Names of what the two plots show, from outside and not escaped.
  private func comparedNames(_ state: ViewState) -> [String] {
    func target(_ place: Int) -> String {
      shown.targets.indices.contains(place) ? shown.targets[place].name : ""
    }
    switch state.comparison {
    case .targets(let first, let second): return [target(first), target(second)]
    case .run: return [shown, other].map { $0.run.map { $0.name ?? String("\($0.id)".prefix(13)) } ?? "" }
    case nil: return ["", ""]
    }
  }

  /// The rows of the selected notifications in log and events; `nil` without a selection.
  func selectionMarks(_ state: ViewState) -> SelectionMarks? {
    state.plot.selection.map { SelectionMarks($0, in: shown) }
  }
}
