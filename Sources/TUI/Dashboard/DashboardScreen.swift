import ConstraintAnimation
import Measurement
import Terminal

/// The dashboard without a terminal: snapshots and input go in, cells come out. It reads no clock and does no I/O.
final class DashboardScreen {
  /// What a command asks of whoever owns the terminal.
  enum Effect: Sendable, Equatable {
    case quit
    case redraw
    case suspend
    case releaseMouse(Bool)
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

  // Views
  let body = View(identifier: "body")
  let header = PictureView(identifier: "header")
  let plot = PictureView(identifier: "plot")
  let host = View(identifier: "host")
  let footer = PictureView(identifier: "footer")
  let pages: [Panel: PictureView]
  let help = PictureView(identifier: "help")
  let notice = PictureView(identifier: "notice")
  /// The list of selected notifications, or the choice of a format.
  let sheet = PictureView(identifier: "sheet")
  private(set) var tabs: [Panel: TabButton] = [:]
  let panels: LowerViewManager<Panel>
  var helpSize: [LayoutConstraint] = []
  var sheetSize: [LayoutConstraint] = []
  /// An answer to the last command.
  var note: FooterNote?
  /// The pointer is down in the plot or in the panel.
  var drag: PointerDrag?
  /// The notification that a key has stepped to.
  var stepped: PlotPick?
  var raster: DotRaster
  /// What the frozen picture was made for.
  private var frozenRequest: ReadRequest?
  private var lists: ListKey?
  /// What looks different since the last drawing.
  private var damage = CellRect.zero

  init(
    size: (columns: Int, rows: Int), appearance: Appearance, motion: MotionLevel = .full,
    keys: KeyTable = .standard, zone: LocalTime = .system, storePath: String
  ) throws(LayoutError) {
    self.appearance = appearance
    self.keys = keys
    self.zone = zone
    self.storePath = storePath
    raster = DotRaster(encoding: appearance.glyphs.dots)
    pages = Dictionary(
      uniqueKeysWithValues: Panel.allCases.map { ($0, PictureView(identifier: "page \($0.title)")) })
    panels = LowerViewManager(
      style: PagedTransition(
        activeTint: appearance.theme.activeTab, inactiveTint: appearance.theme.inactiveTab),
      active: .histogram)
    window = Window(size: Size(width: Double(size.columns), height: Double(size.rows)), motion: motion)
    window.backdropColor = appearance.theme.background
    for panel in Panel.allCases {
      tabs[panel] = TabButton(
        panel: panel, appearance: { [weak self] in self?.appearance ?? appearance },
        choose: { [weak self] in _ = self?.perform(.showPanel($0)) })
    }
    try build()
    connect()
    update()
  }

  // MARK: - What goes in

  /// Takes a snapshot from the reader.
  func show(_ snapshot: Snapshot, at time: MotionTime) {
    step(to: time)
    let isNew = snapshot.number != latest.number
    latest = snapshot
    guard isNew else { return }
    if state.isFrozen, snapshot.condition == .ready, !answersFrozenRequest(snapshot) {
      header.refresh()
      return
    }
    shown = snapshot
    frozenRequest = request
    if shown.condition != .ready { state.frozenAt = nil }
    update()
  }

  func resize(columns: Int, rows: Int) {
    window.resize(to: Size(width: Double(columns), height: Double(rows)))
    if state.showsHelp { fitHelp() }
    fitSheet()
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
    for view in [header, plot, footer, help, notice, sheet] + pages.values { view.invalidate() }
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
    if let answer = handleOnSheet(event) { return answer }
    if let command = keys.command(for: event) { return perform(command) }
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
    if let due = content?.summaryDue, due <= time {
      refreshPlot(at: time)
      step(to: time)
    }
    defer { damage = .zero }
    return damage
  }

  private func step(to time: MotionTime) { damage = damage.union(window.advance(to: time).damage) }

  /// When something changes by itself; `nil` when nothing does.
  var nextDeadline: MotionTime? {
    switch (window.nextDeadline, content?.summaryDue) {
    case (let frame?, let summary?): min(frame, summary)
    case (let frame, let summary): frame ?? summary
    }
  }

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
    let follows = state.anchor == .edge && !state.isFrozen
    return ReadRequest(
      from: content.window.previous.start, to: follows ? nil : content.window.end,
      tick: content.window.scale.columnDuration)
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
      content = nil
      return
    }
    refreshPlot(at: window.time)
    header.refresh()
    let lists = ListKey(shown, state)
    if lists != self.lists {
      self.lists = lists
      for panel in [Panel.log, .events] { pages[panel]?.invalidate() }
    }
  }

  private func refreshPlot(at time: MotionTime) {
    let geometry = plotGeometry
    guard geometry.columns > 0 else { return }
    let previous = content
    let fresh = PlotContent(
      snapshot: shown, state: state, columns: geometry.columns, previous: previous, at: time)
    content = fresh
    plot.invalidate()
    // The histogram keeps step with the quantiles.
    if previous?.summarizedAt != fresh.summarizedAt || previous?.window != fresh.window {
      pages[.histogram]?.invalidate()
    }
    if case .selection = state.plot.sheet { sheet.invalidate() }
  }

  /// Keeps what is shown, whatever comes.
  func freeze() { frozenRequest = request }

  /// Back to the newest.
  func thaw() { shown = latest }

  /// Somebody has moved a frozen picture, and here is what was missing.
  private func answersFrozenRequest(_ snapshot: Snapshot) -> Bool {
    request != frozenRequest && snapshot.request == request
  }

  var currentNotice: NoticeModel? {
    NoticeModel(columns: Int(window.size.width), rows: Int(window.size.height))
      ?? NoticeModel(condition: latest.condition, path: storePath)
  }
}

/// What the lists show: they are made anew when this changes.
private struct ListKey: Equatable {
  let last: [Int64?]
  let counts: [Int]
  let positions: [ListPosition]
  let targets: [TargetFacts]

  init(_ snapshot: Snapshot, _ state: ViewState) {
    last = [snapshot.log.last?.number, snapshot.events.last?.number]
    counts = [snapshot.log.count, snapshot.events.count]
    positions = [state.logPosition, state.eventPosition]
    targets = snapshot.targets
  }
}
