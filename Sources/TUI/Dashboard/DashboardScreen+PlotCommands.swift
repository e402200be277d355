import ConstraintAnimation
import Measurement

extension DashboardScreen {
  /// Fits all, caps at the 99th percentile, keeps the range as it then is.
  func nextRange() {
    switch state.range {
    case .automatic: state.range = .capped
    case .capped: keepRange()
    case .fixed: state.range = .automatic
    }
  }

  /// The axis on display; of the metric with the quantiles where each has its own.
  var shownAxis: LatencyAxis? {
    guard let content else { return nil }
    let panes = plotPanes.panes
    return axis(of: panes.firstIndex { $0.metrics.contains(content.facts.metric) } ?? 0)
  }

  /// The axis of one of the plots.
  func axis(of pane: Int) -> LatencyAxis? {
    let panes = plotPanes.panes
    guard let content, panes.indices.contains(pane) else { return nil }
    return content.axis(state, for: panes[pane].metrics, with: otherContent)
  }

  private func keepRange() {
    guard let axis = shownAxis else { return }
    state.range = .fixed(lower: axis.lower, upper: axis.upper)
  }

  func perform(_ command: PlotCommand) -> Effect? {
    switch command {
    case .exportSelection: return exportSelection()
    case .exportView: open(.formats)
    default:
      change(command)
      update()
    }
    return nil
  }

  private func change(_ command: PlotCommand) {
    switch command {
    case .nextAverages: state.plot.averages = state.plot.averages.next
    case .nextColoring: state.plot.coloring = state.plot.coloring.next
    case .nextArrangement: state.plot.arrangement = state.plot.arrangement.next
    case .nextBuckets:
      state.plot.buckets = state.plot.buckets.next
      pages[.histogram]?.invalidate()
    case .toggleThreshold: toggleThreshold()
    case .lowerThreshold: state.plot.threshold = state.plot.threshold.map(LatencyAxis.niceBelow)
    case .raiseThreshold: state.plot.threshold = state.plot.threshold.map(LatencyAxis.niceAbove)
    case .zoomInLatency: scaleLatency(by: 0.5, about: 0.5)
    case .zoomOutLatency: scaleLatency(by: 2, about: 0.5)
    case .panUp: moveLatency(by: 0.125)
    case .panDown: moveLatency(by: -0.125)
    case .toggleCrosshair: toggleCrosshair()
    case .previousNotification: step(forward: false)
    case .nextNotification: step(forward: true)
    case .beginBox: beginBox()
    case .zoomToBox: zoomToBox()
    case .nextDragAction:
      state.plot.dragAction = state.plot.dragAction.next
      say("dragging in the plot \(state.plot.dragAction.name)")
    case .choosePrevious: choose(forward: false)
    case .chooseNext: choose(forward: true)
    case .list: listSelection()
    case .exportSelection, .exportView: break
    }
  }

  private func toggleThreshold() {
    guard state.plot.threshold == nil else {
      state.plot.threshold = nil
      return
    }
    guard let content else { return }
    if state.plot.holdsCrosshair, let place = state.plot.crosshair, let axis = axis(of: place.pane) {
      let share = (Double(plotGeometry.axisRow - 1 - place.y) + 0.5) / Double(max(1, plotGeometry.rows))
      state.plot.threshold = max(1, Int64(axis.value(at: share).rounded()))
      return
    }
    let value = content.summary[.p99].value ?? content.facts.largest ?? 1_000_000
    state.plot.threshold = LatencyAxis.niceCeiling(max(1, value))
  }

  /// Shows less of the axis of latencies, or more, about a place on it.
  /// - Parameters:
  ///   - factor: below 1 shows less.
  ///   - position: 0 is the lower edge, 1 the upper one.
  func scaleLatency(by factor: Double, about position: Double) {
    guard let axis = shownAxis else { return }
    state.range = axis.range(from: position - position * factor, to: position + (1 - position) * factor)
  }

  /// Moves the range; 1 is all of its height.
  func moveLatency(by share: Double) {
    guard let axis = shownAxis else { return }
    state.range = axis.range(from: share, to: 1 + share)
  }
}
