import ConstraintAnimation
import Measurement
import Store
import Terminal

/// The dashboard without a terminal: snapshots and input go in, cells come out. It reads no clock and does no I/O.
///
/// It wires the components together: the `Reducer` decides what an input does, the components own views and scratch.
final class DashboardScreen {
  private let model: ScreenModel
  private var pointer = PointerTracker()
  private var sequence = KeySequence()
  private let body = View(identifier: "body")
  private let header = PictureView(identifier: "header")
  private var headerContent: HeaderContent?
  private let notice = PictureView(identifier: "notice")
  private let plots: PlotArea
  private let panels: PanelHost
  private let overlays: OverlayStack
  private let status: StatusLine
  private let layout: DashboardLayout
  /// The plots were not drawn in the last frame, although they had changed.
  private var hasPutOff = false
  /// What looks different since the last drawing.
  private var damage = CellRegion()

  /// - Parameter size: in cells.
  init(size: (columns: Int, rows: Int), appearance: Appearance, options: ScreenOptions) throws(LayoutError) {
    model = ScreenModel(size: size, appearance: appearance, options: options)
    let window = model.window
    for view in [body, notice] {
      window.root.addSubview(view)
      try LayoutConstraint.activate(view.pinned(to: window.root))
    }
    let status = StatusLine(model)
    self.status = status
    plots = PlotArea(model)
    panels = PanelHost(model)
    overlays = try OverlayStack(model) { [unowned status] in status.view.invalidate() }
    layout = try DashboardLayout(
      body: body, header: header, plots: plots, panels: panels, footer: status.view, in: model)
    panels.onInput = { [unowned self] in _ = reduce($0) }
    panels.onSettle = { [unowned self] in settled(on: $0) }
    panels.setAxis(model.state.slides)
    panels.fitTabs(size.columns)
    header.make = { [unowned self] width, _ in
      self.headerContent.map {
        HeaderModel(content: $0, appearance: self.appearance, zone: options.zone).picture(width: width)
      } ?? CellPicture(width: width, height: 1)
    }
    notice.make = { [unowned self] in
      self.model.notice?.picture(width: $0, height: $1, self.appearance)
        ?? CellPicture(width: $0, height: $1)
    }
    window.layoutIfNeeded()
    update()
  }

  var window: Window { model.window }

  var state: ViewState { model.state }

  var appearance: Appearance { model.appearance }

  var context: ScreenContext { model.context }

  /// What the reader is to read.
  var order: ReaderOrder { ReaderOrder(state, in: context) }

  /// The overlay that is open; `nil` for none.
  var overlay: (any Overlay)? { model.overlays.overlay }

  var showsHelp: Bool { model.overlays.showsHelp }

  // MARK: - Snapshots

  /// Whether a snapshot answers what has been asked for since the last one.
  func isWaiting(for snapshot: Snapshot) -> Bool {
    snapshot.condition != model.snapshots.latest.condition
      || snapshot.request != model.snapshots.latest.request
  }

  /// Shows a snapshot from the reader.
  func show(_ snapshot: Snapshot, at time: MotionTime) {
    step(to: time)
    let interruption = model.snapshots.latest.interruption
    switch model.receive(snapshot) {
    case .known: return
    case .newStore: say("another store has replaced the one that was shown", .warning)
    case .new: break
    }
    if let now = snapshot.interruption, interruption == nil {
      say(now.text, .alarm)
    } else if interruption != nil, snapshot.interruption == nil {
      say("the fleet answers again")
    }
    if model.keepsFrozen() {
      overlays.invalidateData()
      refreshHeader(in: context)
      refreshLists()
      goOnSearching()
      return
    }
    model.adopt()
    open()
    model.openComparison()
    model.holdUnlessGone()
    arrange()
    update()
    goOnSearching()
  }

  private func goOnSearching() {
    if state.lists.search != nil { _ = reduce(.read) }
  }

  /// Shows what the dashboard was opened with, as soon as there is a run.
  private func open() {
    let (isOpened, remark) = model.open()
    guard isOpened else { return }
    if let remark { say(remark, .warning) }
    if state.panel != panels.active {
      window.performWithoutAnimation { panels.slide(to: state.panel, along: state.slides) }
    }
    status.follow(state)
  }

  var lastView: LastView? { model.lastView }

  /// Shows a snapshot of the second run.
  func showOther(_ snapshot: Snapshot, at time: MotionTime) {
    step(to: time)
    guard model.receiveOther(snapshot) else { return }
    if case .run = state.comparison { update() }
  }

  /// Shows figures from the reader, of the run on display and of the second run.
  func show(_ figures: WindowFigures?, other: WindowFigures? = nil, at time: MotionTime) {
    step(to: time)
    guard model.receive(figures, other: other), model.notice == nil else { return }
    if plots.show(model.snapshots.figures, state, in: context) {
      panels.invalidate(.histogram)
    }
  }

  /// Shows the hours of the run from the reader.
  func show(_ calendar: CalendarFigures, at time: MotionTime) {
    step(to: time)
    guard model.receive(calendar) else { return }
    plots.invalidate()
  }

  /// Moves the moment of the replay on, at its speed.
  private func advanceReplay(to time: MotionTime) {
    guard let isOver = model.advanceReplay(to: time) else { return }
    if isOver { say("the replay has come to the end of what is recorded") }
    arrange()
    update()
  }

  var request: ReadRequest? { model.request }

  var columnFigures: ColumnFigures? { model.columnFigures }

  // MARK: - Input

  /// Handles a key, a click or the wheel.
  func handle(_ event: InputEvent, at time: MotionTime) -> HostEffect? {
    step(to: time)
    if case .key = event.kind { status.show(nil) }
    if let outcome = overlays.handle(event) {
      switch outcome {
      case .done: return nil
      case .input(let input): return reduce(input)
      case .host(let effect): return effect
      }
    }
    switch sequence.match(event, in: model.options.keys) {
    case .command(let command): return reduce(.command(state.panel.command(command, of: event)))
    case .taken: return nil
    case .none: break
    }
    if case .wheel(let ticks) = event.kind {
      for action in pointer.turnWheel(ticks, event, state, in: context) { _ = reduce(.pointer(action)) }
      return nil
    }
    if model.notice == nil, !model.overlays.isAny {
      let (action, isTaken) = pointer.handle(event, state, in: context)
      if let action { _ = reduce(.pointer(action)) }
      if isTaken { return nil }
    }
    window.send(event, at: time)
    return nil
  }

  /// Text from the clipboard.
  func paste(_ text: String) { overlays.paste(text) }

  func open(_ overlay: any Overlay) { overlays.open(overlay) }

  /// The outcome of a command that the collector was asked to carry out.
  func report(_ report: ControlReport, at time: MotionTime) {
    step(to: time)
    _ = reduce(.report(report))
  }

  private func reduce(_ input: ScreenInput) -> HostEffect? {
    let old = state
    let effects = model.reduce(input)
    var result: HostEffect?
    var isStale = false
    for effect in effects {
      switch effect {
      case .host(let effect): result = effect
      case .say(let text, let role): say(text, role)
      case .show(let message): status.show(message)
      case .open(let overlay): overlays.open(overlay.base)
      case .toggleHelp: overlays.toggleHelp()
      case .slide(let panel): panels.slide(to: panel, along: state.slides)
      case .setTheme(let theme):
        setAppearance(
          Appearance(theme: theme, colors: appearance.colors, glyphs: appearance.glyphs.repertoire))
      case .setMotion(let level): window.motionLevel = level
      case .adopt:
        model.adopt()
        isStale = true
      case .hold: model.hold()
      case .wentBack: model.goBack()
      }
    }
    if !effects.contains(.wentBack) { model.remember(old) }
    follow(old, isStale: isStale)
    return result
  }

  /// Brings the components in line with a new state.
  private func follow(_ old: ViewState, isStale: Bool) {
    status.follow(state)
    if state.slides != old.slides { panels.setAxis(state.slides) }
    if state.showsFrameCost != old.showsFrameCost { status.view.invalidate() }
    arrange(within: .milliseconds(300))
    if state.plot.marksDiffer(from: old.plot) { panels.invalidate() }
    var pointed = old
    pointed.plot.adoptCrosshair(of: state.plot)
    pointed.plot.box = state.plot.box
    if isStale || pointed != state { update() } else if old != state { plots.invalidatePointer() }
  }

  private func settled(on panel: Panel) {
    model.settle(on: panel)
    panels.fitTabs()
    status.follow(state)
    refreshLists()
  }

  // MARK: - Output

  /// Goes to a time.
  /// - Returns: what looks different since this was called last; empty when nothing does.
  func advance(to time: MotionTime) -> CellRegion {
    step(to: time)
    advanceReplay(to: time)
    status.advance(to: time)
    if plots.summaryDue.map({ $0 <= time }) ?? false || isSqueezed {
      refreshPlots(in: context, at: time)
    }
    drawPlots()
    step(to: time)
    defer { damage = CellRegion() }
    return damage
  }

  /// Draws what has changed in the plots. While a panel slides and one of its pages is drawn anew, they wait for the next frame:
  /// frames that follow each other closely share the work.
  private func drawPlots() {
    guard plots.isStale else { return }
    hasPutOff = model.panels.isSliding && panels.needsPicture && !hasPutOff
    if !hasPutOff { plots.draw() }
  }

  /// An animation is changing the width of a plot.
  private var isSqueezed: Bool { model.plots.first != nil && plots.isResized }

  private func step(to time: MotionTime) { damage.formUnion(window.advance(to: time).damage) }

  /// When something changes by itself; `nil` when nothing does.
  var nextDeadline: MotionTime? {
    if plots.isStale { return window.time }
    var deadlines = [window.nextDeadline, plots.summaryDue, status.deadline]
    deadlines.append(model.replayDeadline)
    return deadlines.compactMap { $0 }.min()
  }

  var isAnimating: Bool { window.isAnimating }

  /// Draws what has changed; the buffer holds the last frame.
  /// - Returns: the cells that were drawn.
  @discardableResult
  func draw(on buffer: CellBuffer, damage: CellRegion) -> CellRegion {
    window.draw(on: buffer, damage: damage)
  }

  func resize(columns: Int, rows: Int) {
    panels.fitTabs(columns)
    window.resize(to: Size(width: Double(columns), height: Double(rows)))
    overlays.fit()
    arrange()
    update()
  }

  /// - Parameter background: the terminal's own; `nil` for the theme's.
  func setAppearance(_ appearance: Appearance, background: Color? = nil) {
    model.setAppearance(appearance)
    window.backdropColor = background ?? appearance.theme.background
    panels.setAppearance(appearance)
    update()
    plots.invalidate()
    overlays.invalidate()
    for view in [header, notice, status.view] { view.invalidate() }
  }

  func setCost(_ cost: FrameCost) { status.setCost(cost, isShown: state.showsFrameCost) }

  /// Shows a message for a few seconds.
  func say(_ text: String, _ role: Role = .accent) { status.say(text, role, at: window.time) }

  /// Shows a message until the next key; `nil` removes the one that is shown.
  func show(_ message: FooterMessage?) { status.show(message) }

  // MARK: - Pictures

  /// Gives plots and panel the places that the state asks for.
  private func arrange(within duration: Duration = .zero) {
    layout.arrange(within: duration) { [weak self] in self?.update() }
    plots.setCompared(state.comparison != nil, in: window) { [weak self] in self?.update() }
  }

  /// Works out everything anew from the snapshots and the state.
  private func update() {
    window.layoutIfNeeded()
    let hasNotice = model.notice != nil
    body.isHidden = hasNotice
    notice.isHidden = !hasNotice
    if hasNotice {
      notice.invalidate()
      plots.clear()
      return
    }
    refreshPlots(in: context, at: window.time)
    // It is the legend of what the plots show now.
    refreshHeader(in: context)
    refreshLists()
  }

  private func refreshHeader(in context: ScreenContext) {
    let content = context.header(state)
    guard content != headerContent else { return }
    headerContent = content
    header.invalidate()
  }

  private func refreshPlots(in context: ScreenContext, at time: MotionTime) {
    // The histogram shows the quantiles, and keeps step with them.
    if plots.refresh(state, in: context, at: time) { panels.invalidate(.histogram) }
    overlays.invalidateData()
  }

  private func refreshLists() {
    panels.refreshLists(
      model.snapshots.shown, model.snapshots.latest, state, colors: model.plots.first?.valueColors)
  }
}
