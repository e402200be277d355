import ConstraintAnimation
import Measurement
import Store

/// What the user has chosen. With the snapshots it determines everything on the screen except overlays and messages.
struct ViewState: Sendable, Equatable {
  /// The place of the window on the time axis.
  enum Anchor: Sendable, Equatable {
    /// Follows the newest notification.
    case edge
    /// Fixed, with this moment in the middle.
    case at(WallTime)
    /// Fixed, beginning here and, unless a scale was chosen, of this length.
    case stretch(from: WallTime, length: Duration)
  }

  /// The run and the target to show; no run means the newest one.
  var subject = Subject()
  var anchor = Anchor.edge
  /// `nil` is chosen by the run's rate.
  var scale: TimeScale?
  var axisKind = LatencyAxis.Kind.logarithmic
  var range = LatencyRange.automatic
  /// `nil` is delivery where receipts are expected, accept elsewhere.
  var metric: Metric?
  /// Index of the one target shown, `nil` for all.
  var target: Int?
  var plot = PlotState()
  /// The edge of time when the view was frozen; `nil` unless it is. Recording goes on.
  var frozenAt: WallTime?
  var panel = Panel.histogram
  var lists = ListsState()
  var runs = RunsPosition()
  var tables = TableState()
  /// The direction in which panels slide.
  var slides = TransitionAxis.horizontal
  /// `nil` depends on the size of the terminal.
  var arrangement: Arrangement?
  /// `nil` shows all there is.
  var replay: Replay?
  /// `nil` for one plot.
  var comparison: Comparison?
  /// The first run of a comparison whose window is not chosen yet, because one of the two runs has not been read.
  var openingComparison: RunID?
  /// What drawing a frame costs is shown.
  var showsFrameCost = false
  /// The terminal has the mouse, so that text can be selected.
  var releasesMouse = false

  /// Columns by which a following window moves on: the margin at the newest notification is at most as wide.
  static let step = 8

  var isFrozen: Bool { frozenAt != nil }

  // MARK: - Commands

  /// Carries out a command that changes the state alone, here or in one of its parts.
  /// - Returns: what to tell the user; `nil` for any other command.
  mutating func reduce(_ command: Command, in context: ScreenContext) -> String? {
    switch command {
    case .toggleScale:
      axisKind = axisKind == .linear ? .logarithmic : .linear
      return axisKind == .linear ? "linear axis" : "logarithmic axis"
    case .nextMetric:
      let hasShown = shownTargets(in: context.shown).contains { index in
        context.shown.totals.indices.contains(index) && context.shown.totals[index].displayExpected > 0
      }
      metric = metric(in: context.shown).next(hasShown: hasShown)
      return metric?.title
    case .toggleSlides:
      slides = slides == .horizontal ? .vertical : .horizontal
      return slides == .horizontal ? "panels slide sideways" : "panels slide up and down"
    case .rotate:
      arrangement = context.arrangement.other
      return arrangement == .beside ? "panel beside the plot" : "panel below the plot"
    case .fold:
      lists.unfolds.toggle()
      return lists.unfolds ? "every line by itself" : "floods of one kind are one line"
    default: return plot.reduce(command)
    }
  }

  // MARK: - Metrics and targets

  /// The metric that quantiles are given for.
  func metric(in snapshot: Snapshot) -> Metric {
    metric
      ?? .judged(
        expectsReceipts: shownTargets(in: snapshot).contains { snapshot.targets[$0].expectsReceipts })
  }

  /// The metrics on display, the one that quantiles are given for first.
  func metrics(in snapshot: Snapshot) -> [Metric] {
    let first = metric(in: snapshot)
    guard plot.arrangement != .single else { return [first] }
    let expectsReceipts = shownTargets(in: snapshot).contains { snapshot.targets[$0].expectsReceipts }
    switch first {
    case .delivery: return [.delivery, .accept]
    case .shown: return [.shown, .delivery]
    case .accept: return [.accept, expectsReceipts ? .delivery : .service]
    case .service: return [.service, .accept]
    case .path: return [.path, .service]
    }
  }

  /// Indices of the targets on display.
  func shownTargets(in snapshot: Snapshot) -> [Int] {
    if let target, snapshot.targets.indices.contains(target) { return [target] }
    let shown = snapshot.targets.indices.filter { !tables.hiddenTargets.contains(snapshot.targets[$0].id) }
    return shown.isEmpty ? Array(snapshot.targets.indices) : shown
  }

  /// All targets, then one after the other. While two targets are compared, the second one changes.
  mutating func nextTarget(in snapshot: Snapshot) {
    let count = snapshot.targets.count
    guard count > 1 else { return }
    if case .targets(let first, let second) = comparison, count > 2 {
      var next = (second + 1) % count
      if next == first { next = (next + 1) % count }
      comparison = .targets(first, next)
      return
    }
    let next = target.map { $0 + 1 } ?? 0
    target = next < count ? next : nil
  }

  // MARK: - Window

  /// The window on the time axis for a plot of this many columns.
  func window(in snapshot: Snapshot, columns: Int) -> TimeWindow {
    if case .stretch(let start, let length) = anchor {
      // The first column may begin a little earlier, so one more is needed.
      let scale = scale ?? fitting(length / max(1, columns - 1) + .microseconds(1), columns, in: snapshot)
      return TimeWindow(around: start, at: 0, scale: scale, columns: columns)
    }
    let scale = scale ?? automaticScale(in: snapshot, columns: columns)
    switch anchor {
    case .edge:
      let edge = frozenAt ?? snapshot.edge
      let window = TimeWindow(following: edge, scale: scale, columns: columns, step: Self.step)
      // All of a run that fits is shown; it grows from the left.
      guard let start = snapshot.run?.startedAt,
        window.column(of: edge) - window.column(of: start) < columns
      else { return window }
      return window.moved(byColumns: window.column(of: start))
    case .at(let moment), .stretch(let moment, _):
      return TimeWindow(around: moment, at: 0.5, scale: scale, columns: columns)
    }
  }

  /// All of an ended run; else about 400 notifications, between 30 s and 6 h, in a terminal of 120 columns. A wider one shows
  /// more time at the same scale. A run that goes on and would not fill that is shown as a whole.
  private func automaticScale(in snapshot: Snapshot, columns: Int) -> TimeScale {
    guard let run = snapshot.run else { return readableScale(in: snapshot) }
    let whole = wholeScale(of: run, in: snapshot, columns: columns)
    guard run.isLive else { return whole }
    // A replay would change its scale all the time.
    return replay == nil ? min(readableScale(in: snapshot), whole) : readableScale(in: snapshot)
  }

  private func readableScale(in snapshot: Snapshot) -> TimeScale {
    TimeScale(columnAtLeast: readableSpan(in: snapshot) / Self.usualColumns)
  }

  /// Columns of a plot in a terminal of 120.
  private static let usualColumns = 109

  /// The finest scale at which all of a run fits, and half a minute of one that has just begun.
  private func wholeScale(of run: DisplayedRun, in snapshot: Snapshot, columns: Int) -> TimeScale {
    let edge = frozenAt ?? snapshot.edge
    let whole = max(run.isLive ? Self.leastSpan : .zero, edge - run.startedAt)
    // The first column may begin a little earlier, so one more is needed.
    return fitting(whole / max(1, columns - 1) + .microseconds(1), columns, in: snapshot)
  }

  /// The time of about 400 notifications, between 30 s and 6 h.
  private func readableSpan(in snapshot: Snapshot) -> Duration {
    max(Self.leastSpan, .seconds(min(400 / rate(in: snapshot), 6 * 3_600)))
  }

  /// The shortest time that a run which goes on is shown with by itself.
  private static let leastSpan = Duration.seconds(30)

  /// The finest scale whose columns last at least so long. Where there are too many notifications to be read one by one, sums
  /// are to fall on whole columns.
  private func fitting(_ column: Duration, _ columns: Int, in snapshot: Snapshot) -> TimeScale {
    (column * columns).inSeconds * rate(in: snapshot) < Double(PointWindow.capacity)
      ? TimeScale(fitting: column) : TimeScale(columnAtLeast: column)
  }

  /// Notifications per second, as configured.
  private func rate(in snapshot: Snapshot) -> Double {
    max(shownTargets(in: snapshot).reduce(0) { $0 + snapshot.targets[$1].askedRate }, 1e-6)
  }

  /// Moves the window by columns; one that comes back to the newest follows it again.
  mutating func pan(columns count: Int, in snapshot: Snapshot, of columns: Int) {
    let now = window(in: snapshot, columns: columns)
    let moved = now.moved(byColumns: count)
    var following = self
    following.anchor = .edge
    following.scale = now.scale
    if count > 0, moved.firstColumn >= following.window(in: snapshot, columns: columns).firstColumn {
      self = following
    } else if count != 0 {
      settle(moved, in: snapshot)
    }
  }

  /// Shows some of the window's columns as large as whole scales allow.
  mutating func zoom(to shown: ClosedRange<Int>, in snapshot: Snapshot, columns: Int) {
    let now = window(in: snapshot, columns: columns)
    let duration = now.scale.columnDuration * shown.count
    let scale = fitting((duration + .microseconds(columns - 1)) / max(1, columns), columns, in: snapshot)
    let middle = now.start + now.scale.columnDuration * (shown.lowerBound + shown.upperBound + 1) / 2
    settle(TimeWindow(around: middle, at: 0.5, scale: scale, columns: columns), in: snapshot)
  }

  /// Shows less time, or more, about a place: 0 is the left edge, 1 the right one. A window that follows goes on following.
  mutating func zoom(in isCloser: Bool, about fraction: Double, in snapshot: Snapshot, columns: Int) {
    let now = window(in: snapshot, columns: columns)
    let scale = isCloser ? now.scale.finer : now.scale.coarser
    guard scale != now.scale else { return }
    // More than the run there is not to see.
    if !isCloser, let run = snapshot.run, now.scale >= wholeScale(of: run, in: snapshot, columns: columns) {
      return
    }
    self.scale = scale
    if anchor == .edge { return }
    let moment = now.start + .microseconds(Int64(Double(now.duration.microseconds) * fraction))
    settle(TimeWindow(around: moment, at: fraction, scale: scale, columns: columns), in: snapshot)
  }

  /// Fixes the window here, but not wholly before the run.
  private mutating func settle(_ window: TimeWindow, in snapshot: Snapshot) {
    scale = window.scale
    var window = window
    if let start = snapshot.run?.startedAt, window.end < start {
      window = TimeWindow(around: start, at: 0.9, scale: window.scale, columns: window.columns)
    }
    anchor = .at(window.start + window.scale.columnDuration * (window.columns / 2))
  }

  /// Shows a moment in the middle, or as the end of what is known while the run is replayed.
  mutating func goTo(_ moment: WallTime, in snapshot: Snapshot, columns: Int) {
    if replay != nil {
      replay?.position = moment
      anchor = .edge
      return
    }
    let scale = window(in: snapshot, columns: columns).scale
    settle(TimeWindow(around: moment, at: 0.5, scale: scale, columns: columns), in: snapshot)
  }

  /// Follows the newest at a scale, or with all of a run that is over and needs no more.
  mutating func follow(at wanted: TimeScale, in snapshot: Snapshot, columns: Int) {
    anchor = .edge
    let isOver = snapshot.run.map { !$0.isLive } ?? false
    scale = isOver && wanted >= automaticScale(in: snapshot, columns: columns) ? nil : wanted
  }

  mutating func toggleFrozen(in snapshot: Snapshot) { frozenAt = isFrozen ? nil : snapshot.edge }

  mutating func follow() {
    anchor = .edge
    frozenAt = nil
    replay = nil
    lists.follow()
  }

  /// Another run is on display: targets, times and scale of the last one no longer apply.
  mutating func beginRun() {
    follow()
    scale = nil
    target = nil
    tables.beginRun()
    if case .targets = comparison { comparison = nil }
  }

  /// Another store is on display, and the runs of the old one are not in it.
  mutating func beginStore(_ subject: Subject) {
    beginRun()
    self.subject = subject
    comparison = nil
    runs = RunsPosition()
  }

  // MARK: - Comparison

  /// The state that the first plot is drawn from.
  var first: ViewState {
    var state = self
    if case .targets(let first, _) = comparison { state.target = first }
    return state
  }

  /// What the second plot is drawn from; `nil` without one, or while its run has not been read.
  func second(beside shown: Snapshot, other: Snapshot) -> (snapshot: Snapshot, state: ViewState)? {
    var state = self
    switch comparison {
    case .targets(_, let place):
      state.target = place
      return (shown, state)
    case .run(let id):
      guard other.run?.id == id, other.condition == .ready else { return nil }
      state.target = nil
      return (other, state)
    case nil: return nil
    }
  }

  /// Chooses the window of a comparison that has been opened, as soon as both runs have been read.
  mutating func openComparison(_ shown: Snapshot, with other: Snapshot, columns: Int) {
    guard let first = openingComparison else { return }
    guard case .run(let second) = comparison else {
      openingComparison = nil
      return
    }
    guard shown.run?.id == first, other.run?.id == second, shown.condition == .ready,
      other.condition == .ready
    else { return }
    openingComparison = nil
    compare(shown, with: other, columns: columns)
  }

  /// Opens the comparison of two runs where both have something to show.
  ///
  /// The runs are aligned at their starts and may differ in length, so the window becomes what both have, from their
  /// beginnings: all of the shorter run. The window stays as it is where the
  /// user has moved it to a place that both runs have, and where it follows a run no longer than the other.
  mutating func compare(_ first: Snapshot, with second: Snapshot, columns: Int) {
    guard let run = first.run, let other = second.run else { return }
    let length = first.edge - run.startedAt
    let otherLength = second.edge - other.startedAt
    switch anchor {
    case .edge where run.isLive && length <= otherLength: return
    case .at:
      let window = window(in: first, columns: columns)
      let from = max(window.start, run.startedAt)
      let to = min(window.end, run.startedAt + min(length, otherLength))
      if to - from >= window.duration / 2 { return }
    case .edge, .stretch: break
    }
    scale = nil
    anchor = .stretch(from: run.startedAt, length: max(min(length, otherLength), .seconds(1)))
  }

  /// Returns to one plot; a window that was chosen for the comparison follows the newest again.
  mutating func endComparison() {
    comparison = nil
    if case .stretch = anchor { anchor = .edge }
  }

  // MARK: - Lists

  /// Rows by which a list moves to one of its ends.
  static let toEnd = 1_000_000

  /// Scrolls the list of a panel.
  /// - Parameters:
  ///   - snapshot: whose runs are listed.
  ///   - rows: rows of the list that fit into the panel.
  mutating func scroll(
    _ panel: Panel, by count: Int, in snapshot: Snapshot, _ listed: ListedRows, rows: Int
  ) {
    switch panel {
    case .histogram: break
    case .runs: runs.move(by: count, in: listed.runs, rows: rows)
    case .targets: tables.targets.move(by: count, in: listed.targets.map(\.target.id), rows: rows)
    case .findings: tables.findings.move(by: count, in: listed.findings.map(\.id), rows: rows)
    case .log:
      lists.log = moved(lists.log, by: count, listed.log.map(\.place), listed.logExtent, rows: rows)
    case .events:
      lists.events = moved(
        lists.events, by: count, listed.events.map(\.place), listed.eventExtent, rows: rows)
    }
  }

  /// The ends of a list may lie beyond the rows that were read.
  private func moved(
    _ position: ListPosition, by count: Int, _ places: [RecordPlace], _ extent: ListExtent, rows: Int
  ) -> ListPosition {
    if count <= -Self.toEnd, extent.total > rows { return .at(.first) }
    let moved = position.moved(by: count, in: places, rows: rows)
    guard moved == .end, count < Self.toEnd, !extent.reachesEnd, let last = places.last else { return moved }
    return .at(last)
  }
}
