import ConstraintAnimation
import Measurement
import Store
import Terminal

/// The dashboard without a terminal: snapshots and input go in, cells come out. It reads no clock and does no I/O.
final class DashboardScreen {
  /// What a command asks of whoever owns the terminal.
  enum Effect: Sendable, Equatable {
    case quit
    case redraw
    case suspend
    case releaseMouse(Bool)
    /// Carry it to the collector.
    case control(ControlCommand)
    case export(ExportOrder)
  }

  let window: Window
  private(set) var appearance: Appearance
  var state = ViewState()
  /// The newest there is.
  private(set) var latest = Snapshot()
  /// What is on the screen: the newest, or an older one while the picture is frozen.
  private(set) var shown = Snapshot()
  private(set) var content: PlotContent?
  private(set) var cost: FrameCost?
  let keys: KeyTable
  let zone: LocalTime
  let storePath: String
  let themes: [Theme]
  /// Which run people want to see; `nil` in it is the newest.
  var subject: Subject
  private let firstSubject: Subject
  /// What is said in the last line for a while.
  private(set) var message: FooterMessage?
  /// Of the second plot, when there is one.
  private(set) var otherContent: PlotContent?
  /// The second run's, while two are compared.
  private(set) var other = Snapshot()
  /// Two runs whose comparison waits for what is read of them before it has a window.
  private var openingComparison: (first: RunID, second: RunID)?
  /// How the quantiles of the two plots differ.
  private(set) var differences: ComparisonFigures?
  /// When the replay's moment moved last.
  private var replayedAt: MotionTime?

  // Views
  let body = View(identifier: "body")
  let header = PictureView(identifier: "header")
  /// Where one plot is, or two.
  let plots = LayoutGuide(identifier: "plots")
  let plot = PictureView(identifier: "plot")
  let otherPlot = PictureView(identifier: "other plot")
  let host = View(identifier: "host")
  let footer = PictureView(identifier: "footer")
  let pages: [Panel: PictureView]
  let help = PictureView(identifier: "help")
  let notice = PictureView(identifier: "notice")
  /// What lies on top of all: palette, prompts, lists.
  let sheet = PictureView(identifier: "sheet")
  private(set) var tabs: [Panel: TabButton] = [:]
  let panels: LowerViewManager<Panel>
  var helpSize: [LayoutConstraint] = []
  var sheetSize: [LayoutConstraint] = []
  /// The pointer is down in the plot or in the panel.
  var drag: PointerDrag?
  /// The notification that a key has stepped to.
  var stepped: PickedNotification?
  /// What lays out plot and panel, one set for each way.
  var halves: [Arrangement: [LayoutConstraint]] = [:]
  /// The gap between the plots, and what makes the second one as wide as the first.
  var squeeze: (gap: LayoutConstraint, isAsWide: LayoutConstraint)?
  var raster: DotRaster
  /// What the frozen picture was made for.
  private var frozenRequest: ReadRequest?
  private var lists: ListKey?
  private(set) var listed = ListedRows()
  /// What looks different since the last drawing.
  private var damage = CellRect.zero

  init(size: (columns: Int, rows: Int), appearance: Appearance, options: ScreenOptions) throws(LayoutError) {
    self.appearance = appearance
    keys = options.keys
    zone = options.zone
    storePath = options.storePath
    themes = options.themes
    subject = options.subject
    firstSubject = options.subject
    state.slides = options.slides
    state.arrangement = options.arrangement
    state.plot.threshold = options.threshold
    state.releasesMouse = options.releasesMouse
    raster = DotRaster(encoding: appearance.glyphs.dots)
    pages = Dictionary(
      uniqueKeysWithValues: Panel.allCases.map { ($0, PictureView(identifier: "page \($0.title)")) })
    panels = LowerViewManager(
      style: PagedTransition(
        activeTint: appearance.theme.activeTab, inactiveTint: appearance.theme.inactiveTab),
      active: .histogram)
    window = Window(
      size: Size(width: Double(size.columns), height: Double(size.rows)), motion: options.motion)
    window.backdropColor = appearance.theme.background
    for panel in Panel.allCases {
      tabs[panel] = TabButton(
        panel: panel, appearance: { [weak self] in self?.appearance ?? appearance },
        choose: { [weak self] in _ = self?.perform(.showPanel($0)) })
    }
    try build()
    connect()
    connectRuns()
    panels.onSettle = { [weak self] in self?.settled(on: $0) }
    update()
  }

  // MARK: - What goes in

  /// Takes a snapshot from the reader.
  func show(_ snapshot: Snapshot, at time: MotionTime) {
    step(to: time)
    let isNew = snapshot.number != latest.number
    let isAnotherStore = snapshot.replacements > latest.replacements
    latest = snapshot
    guard isNew else { return }
    if isAnotherStore { beginStore() }
    if state.isFrozen, snapshot.condition == .ready, !answersFrozenRequest(snapshot) {
      // What was scrolled to may lie beyond what was at hand.
      if state.eventPosition != .end { shown.eventList = snapshot.eventList }
      if state.logPosition != .end { shown.logList = snapshot.logList }
      header.refresh()
      refreshLists()
      return
    }
    adopt()
    placeComparison()
    frozenRequest = request
    if shown.condition != .ready { state.frozenAt = nil }
    update()
  }

  /// Another file lies where the store was; the runs of the old one are not in it.
  private func beginStore() {
    state.beginRun()
    subject = firstSubject
    state.comparison = nil
    state.runs = RunsPosition()
    squeezePlots()
    say("another store has taken the place of the one that was shown", .warning)
  }

  /// Takes a snapshot of the second run.
  func showOther(_ snapshot: Snapshot, at time: MotionTime) {
    step(to: time)
    guard snapshot.number != other.number || snapshot.run?.id != other.run?.id else { return }
    other = snapshot
    placeComparison()
    if case .run = state.comparison { update() }
  }

  /// Gives the comparison of two runs its window as soon as both are known.
  func openComparison(of first: RunID, with second: RunID) {
    openingComparison = (first, second)
    placeComparison()
  }

  private func placeComparison() {
    guard let opening = openingComparison else { return }
    guard state.comparison == .run(opening.second) else {
      openingComparison = nil
      return
    }
    guard shown.run?.id == opening.first, other.run?.id == opening.second, shown.condition == .ready,
      other.condition == .ready
    else { return }
    openingComparison = nil
    state.compare(shown, with: other, columns: plotGeometry.columns)
  }

  /// The newest becomes what is shown, or what was known of it at the moment of the replay.
  private func adopt() {
    if let run = latest.run?.id, let old = shown.run?.id, run != old {
      state.beginRun()
      squeezePlots()
    }
    if let replay = state.replay {
      shown = latest.known(at: replay.position, since: replayStart(replay))
    } else {
      shown = latest
    }
  }

  /// From where on the replayed picture is needed: two windows, and what is on its way.
  private func replayStart(_ replay: Replay) -> WallTime {
    let length = content?.window.duration ?? 60_000_000
    return replay.position.advanced(byMicroseconds: -4 * length)
  }

  func resize(columns: Int, rows: Int) {
    window.resize(to: Size(width: Double(columns), height: Double(rows)))
    if state.showsHelp { fitHelp() }
    fitOverlay()
    arrange()
    update()
  }

  func setAppearance(_ appearance: Appearance) {
    self.appearance = appearance
    window.backdropColor = appearance.theme.background
    panels.style.activeTint = appearance.theme.activeTab
    panels.style.inactiveTint = appearance.theme.inactiveTab
    for (panel, tab) in tabs {
      tab.tintColor = panel == panels.active ? panels.style.activeTint : panels.style.inactiveTint
    }
    update()
    let views = [header, plot, otherPlot, footer, help, sheet, notice]
    for view in views + pages.values { view.invalidate() }
  }

  func setCost(_ cost: FrameCost) {
    guard cost != self.cost else { return }
    self.cost = cost
    footer.invalidate()
  }

  /// A key, a click, the wheel.
  func handle(_ event: InputEvent, at time: MotionTime) -> Effect? {
    step(to: time)
    if case .key = event.kind { say(nil) }
    if state.overlay != nil, !state.showsHelp { return handleOverlay(event) }
    if closesOverlay(event) { return perform(.dismiss) }
    if let command = command(for: event) { return perform(command) }
    if case .wheel(let ticks) = event.kind { return turnWheel(ticks, event) }
    if state.showsHelp, event.kind == .mouseDown { return perform(.dismiss) }
    if handleOnPlot(event) { return nil }
    window.send(event, at: time)
    return nil
  }

  // MARK: - What comes out

  /// Goes to a time.
  /// - Returns: what looks different since this was called last; empty when nothing does.
  func advance(to time: MotionTime) -> CellRect {
    step(to: time)
    advanceReplay(to: time)
    if let until = message?.until, until <= time { say(nil) }
    let isDue = [content, otherContent].contains { $0?.summaryDue.map { $0 <= time } ?? false }
    if isDue || isSqueezed { refreshPlots(at: time) }
    step(to: time)
    defer { damage = .zero }
    return damage
  }

  /// The plots have another width than their contents were made for: they are on their way to it.
  private var isSqueezed: Bool {
    guard let content else { return false }
    return content.window.columns != plotGeometry.columns && plotGeometry.columns > 0
  }

  func step(to time: MotionTime) { damage = damage.union(window.advance(to: time).damage) }

  /// When something changes by itself; `nil` when nothing does.
  var nextDeadline: MotionTime? {
    var deadlines = [window.nextDeadline, content?.summaryDue, otherContent?.summaryDue, message?.until]
    if let replay = state.replay, !replay.isPaused, currentNotice == nil {
      deadlines.append((replayedAt ?? window.time) + Self.replayInterval)
    }
    return deadlines.compactMap { $0 }.min()
  }

  private static let replayInterval = Duration.milliseconds(50)

  var isAnimating: Bool { window.isAnimating }

  /// Draws what has changed; the buffer holds the last frame.
  func draw(on buffer: CellBuffer, damage: CellRect) {
    buffer.clip = damage
    buffer.fill(damage, glyph: " ", style: .plain)
    window.draw(on: buffer)
    buffer.clip = buffer.bounds
  }

  /// What the reader should have at hand for this picture.
  var request: ReadRequest? {
    guard let content, latest.condition == .ready else { return nil }
    if state.replay != nil {
      // As much again lies ahead, so that the replay need not wait.
      return ReadRequest(
        from: content.window.previous.start,
        to: content.window.end.advanced(byMicroseconds: content.window.duration),
        tick: content.window.scale.columnDuration, start: content.window.start, isReplay: true)
    }
    let follows = state.anchor == .edge && !state.isFrozen
    return ReadRequest(
      from: content.window.previous.start, to: follows ? nil : content.window.end,
      tick: content.window.scale.columnDuration, start: content.window.start)
  }

  /// All that the reader is to look at.
  var order: ReaderOrder {
    var order = ReaderOrder(subject: subject, request: request)
    order.lists = ListsPlace(events: listPlace(state.eventPosition), log: listPlace(state.logPosition))
    order.wantsRuns = latest.condition == .ready && (panels.active == .runs || panels.isSliding)
    if case .run(let run) = state.comparison {
      let request = otherContent.map {
        ReadRequest(
          from: $0.window.previous.start, to: $0.window.end, tick: $0.window.scale.columnDuration,
          start: $0.window.start)
      }
      order.second = ReaderOrder.Second(run: run, request: request)
    }
    return order
  }

  private func listPlace(_ position: ListPosition) -> ListPlace {
    switch position {
    case .at(let number): return .around(number)
    case .end:
      guard let replay = state.replay else { return .newest }
      // By whole seconds, so that not every frame asks for something else.
      let second: Int64 = 1_000_000
      return .until(
        WallTime(microseconds: (replay.position.microseconds.flooringQuotient(second) + 1) * second))
    }
  }

  // MARK: - Keeping up

  /// Works out everything anew from the shown snapshot and the state.
  func update() {
    window.layoutIfNeeded()
    let notice = currentNotice
    body.isHidden = notice != nil
    self.notice.isHidden = notice == nil
    if let notice {
      self.notice.make = { [unowned self] in notice.picture(width: $0, height: $1, self.appearance) }
      self.notice.invalidate()
      (content, otherContent, differences) = (nil, nil, nil)
      return
    }
    refreshPlots(at: window.time)
    header.refresh()
    refreshLists()
  }

  private func refreshLists() {
    let lists = ListKey(shown, latest, state)
    guard lists != self.lists else { return }
    self.lists = lists
    listed = ListedRows(shown, state.filter)
    for panel in [Panel.log, .events, .runs] { pages[panel]?.invalidate() }
  }

  private func refreshPlots(at time: MotionTime) {
    let geometry = plotGeometry
    guard geometry.columns > 0 else { return }
    let previous = content
    let fresh = PlotContent(
      snapshot: shown, state: firstState, columns: geometry.columns, previous: previous, at: time)
    content = fresh
    plot.invalidate()
    let isOtherNew = refreshOtherPlot(beside: fresh, at: time)
    // The histogram keeps step with the quantiles.
    if previous?.summarizedAt != fresh.summarizedAt || previous?.window != fresh.window
      || previous?.isReading != fresh.isReading || isOtherNew
    {
      differences = otherContent.map { ComparisonFigures(fresh, $0) }
      pages[.histogram]?.invalidate()
    }
    if case .selection = state.overlay { sheet.invalidate() }
  }

  /// The second plot shows the same stretch of time on the same scale; of another run the stretch that is as far from
  /// its beginning.
  private func refreshOtherPlot(beside first: PlotContent, at time: MotionTime) -> Bool {
    guard let (snapshot, state) = second else {
      otherContent = nil
      return false
    }
    let size = otherPlot.cellFrame
    let columns = panes(width: size.width, height: size.height).panes[0].geometry.columns
    // On its way in it has no room for anything yet.
    guard size.width > ScatterGeometry.gutter, columns > 0 else {
      otherContent = nil
      return false
    }
    let scale = first.window.scale
    var place = TimeWindow(scale: scale, firstColumn: first.window.firstColumn, columns: columns)
    if let start = shown.run?.startedAt, let otherStart = snapshot.run?.startedAt {
      let shift = otherStart.microseconds - start.microseconds
      place = place.moved(byColumns: Int(shift.flooringQuotient(scale.columnDuration)))
    }
    let previous = otherContent
    var otherState = state
    otherState.metric = first.facts.metric
    let fresh = PlotContent(
      snapshot: snapshot, state: otherState, columns: columns, place: place, previous: previous, at: time)
    otherContent = fresh
    otherPlot.invalidate()
    return previous?.summarizedAt != fresh.summarizedAt || previous?.window != fresh.window
      || previous?.isReading != fresh.isReading
  }

  /// The state that the first plot goes by.
  private var firstState: ViewState {
    var state = state
    if case .targets(let first, _) = state.comparison { state.target = first }
    return state
  }

  /// What the second plot goes by; `nil` for no second plot.
  var second: (snapshot: Snapshot, state: ViewState)? {
    var state = state
    switch state.comparison {
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

  /// Lets the moment of the replay move on as fast as people want.
  private func advanceReplay(to time: MotionTime) {
    guard var replay = state.replay, !replay.isPaused, currentNotice == nil else {
      replayedAt = nil
      return
    }
    guard let last = replayedAt else {
      replayedAt = time
      return
    }
    guard time - last >= Self.replayInterval else { return }
    replayedAt = time
    let elapsed = (time.nanoseconds - last.nanoseconds) / 1_000
    replay.position = replay.position.advanced(byMicroseconds: elapsed * Int64(replay.speed))
    if replay.position >= latest.edge {
      replay.position = latest.edge
      replay.isPaused = true
      say("the replay has come to the end of what is recorded")
    }
    state.replay = replay
    adopt()
    update()
  }

  /// Says something in the last line; `nil` takes it away.
  func say(_ message: FooterMessage?) {
    guard message != self.message else { return }
    self.message = message
    footer.invalidate()
  }

  /// Says something in the last line for a few seconds.
  func say(_ text: String, _ role: Role = .accent) {
    say(FooterMessage(text: text, role: role, until: window.time + FooterMessage.stay))
  }

  /// Keeps what is shown, whatever comes.
  func freeze() { frozenRequest = request }

  /// Back to the newest, or to what the replay knows.
  func thaw() { adopt() }

  /// The pages have come to rest, also after a drag.
  private func settled(on panel: Panel) {
    state.panel = panel
    refreshLists()
  }

  /// Somebody has moved a frozen picture, and here is what was missing.
  private func answersFrozenRequest(_ snapshot: Snapshot) -> Bool {
    request != frozenRequest && snapshot.request == request
  }

  var currentNotice: NoticeModel? {
    NoticeModel(columns: Int(window.size.width), rows: Int(window.size.height))
      ?? NoticeModel(condition: latest.condition, path: storePath, collector: latest.collector)
  }
}
