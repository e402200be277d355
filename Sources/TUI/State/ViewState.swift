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
    /// Stays: begins here and, unless a scale was chosen, is this long (µs).
    case stretch(from: WallTime, length: Int64)
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
    if case .stretch(let start, let length) = anchor {
      // Its first column may begin a little earlier, hence one column more than it needs.
      let scale = scale ?? TimeScale(columnAtLeast: length / Int64(max(1, columns - 1)) + 1)
      return TimeWindow(around: start, at: 0, scale: scale, columns: columns)
    }
    let scale = scale ?? automaticScale(in: snapshot, columns: columns)
    switch anchor {
    case .edge:
      let window = TimeWindow(
        following: frozenAt ?? snapshot.edge, scale: scale, columns: columns, step: Self.step)
      // A run that does not fill the window yet grows from the left.
      guard let start = snapshot.run?.startedAt, window.column(of: start) > 0 else { return window }
      return window.moved(byColumns: window.column(of: start))
    case .at(let moment), .stretch(let moment, _):
      return TimeWindow(around: moment, at: 0.5, scale: scale, columns: columns)
    }
  }

  /// About 400 notifications, but no less than half a minute and no more than six hours; an ended run as a whole
  /// when it is short enough to be drawn in one go.
  func automaticScale(in snapshot: Snapshot, columns: Int) -> TimeScale {
    let columns = Int64(max(1, columns))
    if let run = snapshot.run, !run.isLive {
      let whole = snapshot.edge.microseconds - run.startedAt.microseconds
      if isDrawable(whole, of: snapshot) { return TimeScale(columnAtLeast: whole / columns + 1) }
    }
    return TimeScale(columnAtLeast: readableSpan(in: snapshot) / columns)
  }

  /// µs for about 400 notifications, but no less than half a minute and no more than six hours.
  private func readableSpan(in snapshot: Snapshot) -> Int64 {
    Int64(min(max(400 / rate(in: snapshot), 30), 6 * 3_600) * 1_000_000)
  }

  /// Whether a stretch (µs) of a run has few enough notifications to be drawn in one go.
  private func isDrawable(_ length: Int64, of snapshot: Snapshot) -> Bool {
    Double(length) / 1_000_000 * rate(in: snapshot) <= 20_000
  }

  /// Notifications a second, as asked for.
  private func rate(in snapshot: Snapshot) -> Double {
    max(shownTargets(in: snapshot).reduce(0) { $0 + snapshot.targets[$1].askedRate }, 1e-6)
  }

  /// Opens the comparison of two runs where both have something to show.
  ///
  /// The runs are laid over each other from their beginnings, and may be of different lengths: the end of the longer
  /// one has nothing beside it. So the window becomes what both have, the whole of the shorter one; of very many
  /// notifications the end of that. It stays as it is where people have moved it to a place that both have, and where
  /// it follows a run that has not become longer than the other.
  mutating func compare(_ first: Snapshot, with second: Snapshot, columns: Int) {
    guard let run = first.run, let other = second.run else { return }
    let length = first.edge.microseconds - run.startedAt.microseconds
    let otherLength = second.edge.microseconds - other.startedAt.microseconds
    switch anchor {
    case .edge where run.isLive && length <= otherLength: return
    case .at:
      let window = window(in: first, columns: columns)
      let from = max(window.start.microseconds, run.startedAt.microseconds)
      let to = min(window.end.microseconds, run.startedAt.microseconds + min(length, otherLength))
      if to - from >= window.duration / 2 { return }
    case .edge, .stretch: break
    }
    let common = max(min(length, otherLength), 1_000_000)
    var shown = common
    if !isDrawable(common, of: first) || !isDrawable(common, of: second) {
      shown = min(common, readableSpan(in: first))
    }
    scale = nil
    anchor = .stretch(from: run.startedAt.advanced(byMicroseconds: common - shown), length: shown)
  }

  /// The comparison is over: what was opened for it goes back to the newest.
  mutating func endComparison() {
    comparison = nil
    if case .stretch = anchor { anchor = .edge }
  }
}

extension ViewState {
  /// The metrics on display, the one that quantiles are given of first.
  func metrics(in snapshot: Snapshot) -> [Metric] {
    let first = metric(in: snapshot)
    guard plot.arrangement != .single else { return [first] }
    let hasReceipts = shownTargets(in: snapshot).contains { snapshot.targets[$0].expectsReceipts }
    switch first {
    case .delivery: return [.delivery, .accept]
    case .accept: return [.accept, hasReceipts ? .delivery : .service]
    case .service: return [.service, .accept]
    }
  }
}

/// What may stand below the plot, in the order of the tabs.
enum Panel: Int, Sendable, Hashable, CaseIterable {
  case histogram
  case log
  case events
  case runs

  /// As on its tab, without the number.
  var title: String {
    switch self {
    case .histogram: "Histogram"
    case .log: "Log"
    case .events: "Events"
    case .runs: "Runs"
    }
  }

  var next: Panel { Panel(rawValue: (rawValue + 1) % Panel.allCases.count) ?? .histogram }

  var previous: Panel {
    Panel(rawValue: (rawValue + Panel.allCases.count - 1) % Panel.allCases.count) ?? .histogram
  }
}

/// Where the panel stands.
enum Arrangement: Sendable, Hashable {
  case below
  case beside

  /// What suits a terminal: side by side where it is wide and has few rows.
  static func suitable(columns: Int, rows: Int) -> Arrangement {
    columns >= 140 && rows < 30 && columns >= 5 * rows ? .beside : .below
  }

  var other: Arrangement { self == .below ? .beside : .below }
}

/// What the second plot beside the first shows.
enum Comparison: Sendable, Equatable {
  /// Two targets of the run, by their places.
  case targets(Int, Int)
  /// Another run, counted from its own beginning.
  case run(RunID)
}

/// A run shown as it was at a moment, and the moment moves on.
struct Replay: Sendable, Equatable {
  /// What the picture knows of ends here.
  var position: WallTime
  /// Index into `speeds`.
  private(set) var step = 0
  var isPaused = false

  /// How many times as fast as it happened.
  static let speeds = [1, 2, 5, 10, 20, 50, 100]

  init(at position: WallTime) { self.position = position }

  var speed: Int { Self.speeds[step] }

  mutating func accelerate(by steps: Int) { step = min(max(step + steps, 0), Self.speeds.count - 1) }
}
