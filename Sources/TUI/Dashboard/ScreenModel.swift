import ConstraintAnimation
import Measurement
import Store

/// What the parts of the dashboard draw from: the state, what was read, and what the parts have made of it. It is made before the
/// parts; each writes only its own contents, and ``DashboardScreen`` brings them in line after a change.
final class ScreenModel {
  let window: Window
  let options: ScreenOptions
  let plots = PlotContents()
  let panels: PanelContents
  let overlays = OpenOverlays()
  private(set) var state = ViewState()
  private(set) var appearance: Appearance
  private(set) var snapshots = DisplayedSnapshots()
  private var replayClock = ReplayClock()
  private var history = ViewHistory()
  /// `nil` once it has been shown.
  private var opening: OpeningView?

  /// - Parameter size: in cells.
  init(size: (columns: Int, rows: Int), appearance: Appearance, options: ScreenOptions) {
    (self.appearance, self.options) = (appearance, options)
    opening = options.opening
    window = Window(
      size: Size(width: Double(size.columns), height: Double(size.rows)), motion: options.motion)
    window.backdropColor = appearance.theme.background
    panels = PanelContents(appearance.theme)
    state.subject = options.subject
    state.slides = options.slides
    state.arrangement = options.arrangement
    state.plot.threshold = options.threshold
    state.releasesMouse = options.releasesMouse
  }

  // MARK: - What depends on it

  /// What commands and pictures depend on besides the state.
  var context: ScreenContext {
    ScreenContext(
      latest: snapshots.latest, shown: snapshots.shown, other: snapshots.other, content: plots.first,
      otherContent: plots.second, differences: plots.differences, figures: snapshots.figures,
      plotFrame: plots.frame, panelFrame: panels.frame, activePanel: panels.active,
      isSliding: panels.isSliding, listed: panels.listed, previous: history.previous,
      arrangement: arrangement, hasNotice: notice != nil, isCovered: overlays.isAny,
      overlay: overlays.overlay, appearance: appearance, motion: window.motionLevel, options: options)
  }

  /// The arrangement in force.
  var arrangement: Arrangement {
    state.arrangement ?? .suitable(columns: Int(window.size.width), rows: Int(window.size.height))
  }

  /// What covers the dashboard; `nil` for nothing.
  var notice: NoticeModel? {
    NoticeModel(columns: Int(window.size.width), rows: Int(window.size.height))
      ?? NoticeModel(
        condition: snapshots.latest.condition, place: options.place, collector: snapshots.latest.collector)
  }

  /// What the picture needs; `nil` while there is none.
  var request: ReadRequest? {
    ReadRequest(state, window: plots.first?.window, condition: snapshots.latest.condition)
  }

  /// The figures of what the plot shows; `nil` while there is none.
  var columnFigures: ColumnFigures? {
    plots.first.map {
      ColumnFigures(
        snapshot: snapshots.shown, window: $0.window, targets: $0.targets, metric: $0.facts.metric,
        moment: state.replay?.position)
    }
  }

  /// The view to be remembered; `nil` before anything was shown.
  var lastView: LastView? {
    guard opening == nil, snapshots.shown.condition == .ready else { return nil }
    return LastView(state, in: snapshots.shown, window: plots.first?.window)
  }

  // MARK: - What is read

  /// Receives a snapshot from the reader.
  func receive(_ snapshot: Snapshot) -> DisplayedSnapshots.Arrival {
    let arrival = snapshots.receive(snapshot)
    if arrival == .newStore {
      state.beginStore(options.subject)
      history.clear()
    }
    return arrival
  }

  /// Receives a snapshot of the second run.
  /// - Returns: whether it is new.
  func receiveOther(_ snapshot: Snapshot) -> Bool {
    guard snapshots.receiveOther(snapshot) else { return false }
    openComparison()
    return true
  }

  /// - Returns: whether the figures are shown.
  func receive(_ figures: WindowFigures?, other: WindowFigures?) -> Bool {
    snapshots.receive(figures, other: other, isFrozen: state.isFrozen)
  }

  /// - Returns: whether the hours are others than before.
  func receive(_ calendar: CalendarFigures) -> Bool { snapshots.receive(calendar) }

  /// Whether a frozen view stays as it is; then only its lists are those of the newest snapshot.
  func keepsFrozen() -> Bool {
    guard state.isFrozen, snapshots.keepsFrozen(request) else { return false }
    snapshots.adoptLists(state)
    return true
  }

  /// Shows the newest snapshot, or what the replay knows of it.
  func adopt() {
    let isAnotherRun = snapshots.adopt(state.replay, window: plots.first?.window.duration ?? .minutes(1))
    if isAnotherRun { state.beginRun() }
  }

  /// Keeps the snapshot on display.
  func hold() { snapshots.hold(request) }

  /// The same; without anything to show nothing is frozen.
  func holdUnlessGone() {
    hold()
    if snapshots.shown.condition != .ready { state.frozenAt = nil }
  }

  /// Shows what the dashboard was opened with, as soon as there is a run.
  /// - Returns: whether the state has changed by that, and what to tell of it.
  func open() -> (isOpened: Bool, remark: String?) {
    guard let opening, snapshots.shown.condition == .ready else { return (false, nil) }
    self.opening = nil
    guard opening != OpeningView() else { return (false, nil) }
    return (true, opening.apply(to: &state, in: snapshots.shown, columns: context.panes(state).columns))
  }

  func openComparison() {
    guard state.openingComparison != nil else { return }
    state.openComparison(snapshots.shown, with: snapshots.other, columns: context.panes(state).columns)
  }

  // MARK: - Changes

  func reduce(_ input: ScreenInput) -> [ScreenEffect] {
    let (new, effects) = Reducer.reduce(state, input, in: context)
    state = new
    return effects
  }

  /// Remembers the view that a change has left.
  func remember(_ old: ViewState) { history.record(old, state, at: window.time) }

  /// The state has become that of the view before.
  func goBack() { history.goBack() }

  /// A slide or a drag has come to rest on a panel.
  func settle(on panel: Panel) { state.panel = panel }

  func setAppearance(_ appearance: Appearance) { self.appearance = appearance }

  // MARK: - Replay

  /// Moves the moment of the replay on, at its speed.
  /// - Returns: whether it has come to its end; `nil` when nothing has moved.
  func advanceReplay(to time: MotionTime) -> Bool? {
    guard var replay = state.replay, !replay.isPaused, notice == nil else {
      replayClock.stop()
      return nil
    }
    guard let elapsed = replayClock.step(at: time) else { return nil }
    let isOver = replay.advance(by: elapsed, to: snapshots.latest.edge)
    state.replay = replay
    adopt()
    return isOver
  }

  /// When the replay moves on; `nil` while it does not.
  var replayDeadline: MotionTime? {
    guard let replay = state.replay, !replay.isPaused, notice == nil else { return nil }
    return replayClock.deadline(at: window.time)
  }
}
