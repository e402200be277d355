import ConstraintAnimation
import Measurement

/// What the person looking has chosen: everything on the screen follows from this and a `Snapshot`.
struct ViewState: Sendable, Equatable {
  /// Where the window on the axis of time is.
  enum Anchor: Sendable, Equatable {
    /// Follows the newest.
    case edge
    /// Stays: this moment is in the middle.
    case at(WallTime)
  }

  var anchor = Anchor.edge
  /// `nil` chooses by the run's rate.
  var scale: TimeScale?
  var axisKind = LatencyAxis.Kind.logarithmic
  var range = LatencyRange.automatic
  /// `nil` chooses: delivery where receipts are expected, accept elsewhere.
  var metric: Metric?
  /// Place of the one target shown, `nil` for all.
  var target: Int?
  var plot = PlotState()
  /// The moment at which the picture was made to stand still while recording goes on.
  var frozenAt: WallTime?
  var panel = Panel.histogram
  var logPosition = ListPosition.end
  var eventPosition = ListPosition.end
  /// `nil` lists every line.
  var filter: ListFilter?
  var runs = RunsPosition()
  /// The way panels slide.
  var slides = TransitionAxis.horizontal
  /// `nil` goes by the terminal's shape.
  var arrangement: Arrangement?
  /// The run as it was at a moment; `nil` shows all there is.
  var replay: Replay?
  /// `nil` for one plot.
  var comparison: Comparison?
  /// What lies on top and has the keys.
  var overlay: Overlay?
  var showsHelp = false
  /// The first line of the help in view.
  var helpLine = 0
  /// The pointer belongs to the terminal, so that text can be selected.
  var releasesMouse = false

  /// Columns by which a following window moves on.
  static let step = 32

  var isFrozen: Bool { frozenAt != nil }
}

extension ViewState {
  /// The metric on display.
  func metric(in snapshot: Snapshot) -> Metric {
    metric
      ?? (shownTargets(in: snapshot).contains { snapshot.targets[$0].expectsReceipts } ? .delivery : .accept)
  }

  /// Places of the targets on display.
  func shownTargets(in snapshot: Snapshot) -> [Int] {
    if let target, snapshot.targets.indices.contains(target) { return [target] }
    return Array(snapshot.targets.indices)
  }

  /// The window on the axis of time for a plot of this many columns.
  func window(in snapshot: Snapshot, columns: Int) -> TimeWindow {
    let scale = scale ?? automaticScale(in: snapshot, columns: columns)
    switch anchor {
    case .edge:
      let window = TimeWindow(
        following: frozenAt ?? snapshot.edge, scale: scale, columns: columns, step: Self.step)
      // A run that does not fill the window yet grows from the left.
      guard let start = snapshot.run?.startedAt, window.column(of: start) > 0 else { return window }
      return window.moved(byColumns: window.column(of: start))
    case .at(let moment): return TimeWindow(around: moment, at: 0.5, scale: scale, columns: columns)
    }
  }

  /// About 400 notifications, but no less than half a minute and no more than six hours; an ended run as a whole
  /// when it is short enough to be drawn in one go.
  func automaticScale(in snapshot: Snapshot, columns: Int) -> TimeScale {
    let columns = Int64(max(1, columns))
    let rate = max(shownTargets(in: snapshot).reduce(0) { $0 + snapshot.targets[$1].askedRate }, 1e-6)
    let second = 1_000_000.0
    let span = min(max(400 / rate * second, 30 * second), 6 * 3600 * second)
    if let run = snapshot.run, !run.isLive {
      let whole = Double(snapshot.edge.microseconds - run.startedAt.microseconds)
      if whole * rate / second <= 20_000 { return TimeScale(columnAtLeast: Int64(whole) / columns + 1) }
    }
    return TimeScale(columnAtLeast: Int64(span) / columns)
  }
}
