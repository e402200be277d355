import ConstraintAnimation
import Measurement
import Store

/// What the panels list, and where. Only ``PanelHost`` changes it.
final class PanelContents {
  /// Where the pages are.
  fileprivate let view = View(identifier: "host")
  fileprivate let manager: LowerViewManager<Panel>
  /// The rows of log and events that pass the filter.
  fileprivate(set) var listed = ListedRows()

  init(_ theme: Theme) {
    manager = LowerViewManager(
      style: PagedTransition(activeTint: theme.activeTab, inactiveTint: theme.inactiveTab), active: .histogram
    )
  }

  /// The pages in cells of the window.
  var frame: CellRect { view.cellFrame }

  /// The panel that was chosen last.
  var active: Panel { manager.active }

  var isSliding: Bool { manager.isSliding }
}

/// The panels and their tabs: owns the pages, slides them, and keeps the rows that they list.
final class PanelHost {
  private let contents: PanelContents
  private let pages: [Panel: PictureView]
  private let tabs: [Panel: TabButton]
  private var key: ListKey?
  private var histogram = HistogramCache()
  /// Columns of the terminal.
  private var width = 0

  /// Called with what a click on a tab or on a run asks for.
  var onInput: (ScreenInput) -> Void = { _ in }

  init(_ model: ScreenModel) {
    contents = model.panels
    pages = Dictionary(
      uniqueKeysWithValues: Panel.allCases.map { ($0, PictureView(identifier: "page \($0.title)")) })
    tabs = Dictionary(
      uniqueKeysWithValues: Panel.allCases.map { panel in
        (panel, TabButton(panel: panel, appearance: model.appearance))
      })
    for tab in tabs.values { tab.choose = { [unowned self] in onInput(.command(.showPanel($0))) } }
    connect(model)
  }

  /// Called with the panel on which a slide or a drag has come to rest.
  var onSettle: ((Panel) -> Void)? {
    get { manager.onSettle }
    set { manager.onSettle = newValue }
  }

  var view: View { contents.view }

  private var manager: LowerViewManager<Panel> { contents.manager }

  private func connect(_ model: ScreenModel) {
    pages[.histogram]?.make = { [unowned self, unowned model] width, height in
      let (state, context) = (model.state, model.context)
      return context.histogramPicture(state, width: width, height: height, &self.histogram)
    }
    pages[.log]?.make = { [unowned model] width, height in
      let (state, context) = (model.state, model.context)
      return context.log(state).list(width: width, height: height).picture()
    }
    pages[.events]?.make = { [unowned model] width, height in
      let (state, context) = (model.state, model.context)
      return context.events(state).list(width: width, height: height).picture()
    }
    pages[.runs]?.make = { [unowned model] width, height in
      let (state, context) = (model.state, model.context)
      return context.runs(state).list(width: width, height: height).picture()
    }
    pages[.targets]?.make = { [unowned model] width, height in
      let (state, context) = (model.state, model.context)
      return context.targetsPicture(state, width: width, height: height)
    }
    pages[.findings]?.make = { [unowned model] width, height in
      let (state, context) = (model.state, model.context)
      return FindingsModel(
        findings: context.shown.panels.findings, stoppedAt: context.shown.run?.stoppedAt,
        removed: context.shown.panels.removed, detectors: context.shown.panels.detectors,
        position: state.tables.findings,
        order: state.tables.order[.findings], hiddenColumns: state.tables.hiddenColumns[.findings] ?? [],
        now: context.shown.now,
        appearance: context.appearance, zone: context.options.zone
      ).list(width: width, height: height).picture()
    }
    for panel in Panel.allCases where panel.isTable {
      let page = pages[panel]
      page?.addGestureRecognizer(
        TapGestureRecognizer { [weak page, unowned self] recognizer in
          onInput(.pointer(.clickRow(Int(recognizer.location(in: page).y))))
        })
    }
  }

  // MARK: - Layout

  /// Fills the host with the pages and puts the tabs at the right of the body's first row.
  /// - Parameter header: ends where the tabs begin.
  func install(in body: View, beside header: View) throws(LayoutError) {
    var right: (LayoutAnchor<XAxis>, Double) = (body.trailingAnchor, -1)
    for panel in Panel.allCases.reversed() {
      guard let tab = tabs[panel] else { continue }
      body.addSubview(tab)
      try LayoutConstraint.activate([
        tab.topAnchor.constraint(equalTo: body.topAnchor),
        tab.trailingAnchor.constraint(equalTo: right.0, constant: right.1),
      ])
      right = (tab.leadingAnchor, 0)
    }
    try LayoutConstraint.activate([header.trailingAnchor.constraint(equalTo: right.0)])
    // The manager moves all pages but one out of the host.
    for panel in Panel.allCases {
      guard let page = pages[panel], let tab = tabs[panel] else { continue }
      page.tag = panel.rawValue
      view.addSubview(page)
      try LayoutConstraint.activate(page.pinned(to: view))
      do throws(LowerView.Failure) {
        try manager.add(view: page, button: tab)
      } catch {
        throw LayoutError.noCommonAncestor("\(page.identifier ?? "page"): \(error)")
      }
    }
  }

  /// Has a drag move the pages in the direction in which they slide.
  func setAxis(_ axis: TransitionAxis) {
    for recognizer in view.gestureRecognizers where recognizer is PanGestureRecognizer {
      view.removeGestureRecognizer(recognizer)
    }
    view.addGestureRecognizer(manager.makePanGestureRecognizer(along: axis))
  }

  /// Shortens the names on the tabs where the header has no room for all of them.
  func fitTabs(_ columns: Int? = nil) {
    if let columns { width = columns }
    let whole = TabNames.whole(active: active, columns: width)
    for (panel, tab) in tabs { tab.isShort = !whole.contains(panel) }
  }

  // MARK: - Sliding

  var active: Panel { contents.active }

  /// A page that is on the screen is to be drawn anew.
  var needsPicture: Bool {
    let place = view.cellFrame
    return pages.values.contains {
      $0.needsPicture && $0.isShown && !$0.cellFrame.intersection(place).isEmpty
    }
  }

  func slide(to panel: Panel, along axis: TransitionAxis) {
    defer { fitTabs() }
    do throws(LowerView.Failure) {
      switch axis {
      case .horizontal: try manager.slideHorizontally(activate: panel)
      case .vertical: try manager.slideVertically(activate: panel)
      }
    } catch {
      // The pages stay in the host for as long as the screen lives.
      assertionFailure("\(error)")
    }
  }

  // MARK: - Pictures

  /// Lists the rows again when anything that they show has changed.
  /// - Parameter colors: of the values of a key.
  func refreshLists(_ shown: Snapshot, _ latest: Snapshot, _ state: ViewState, colors: ValueColors?) {
    let key = ListKey(shown, latest, state, colors)
    guard key != self.key else { return }
    // A wide histogram has the table of targets beside it.
    if key.panels.targets != self.key?.panels.targets { invalidate(.histogram) }
    self.key = key
    contents.listed = ListedRows(shown, state.lists, state.tables, runs: latest.runs)
    for panel in Panel.allCases where panel != .histogram { invalidate(panel) }
  }

  func invalidate(_ panel: Panel) { pages[panel]?.invalidate() }

  func invalidate() {
    for page in pages.values { page.invalidate() }
  }

  func setAppearance(_ appearance: Appearance) {
    manager.style.activeTint = appearance.theme.activeTab
    manager.style.inactiveTint = appearance.theme.inactiveTab
    for (panel, tab) in tabs {
      tab.appearance = appearance
      tab.tintColor = panel == active ? manager.style.activeTint : manager.style.inactiveTint
    }
    invalidate()
  }
}

/// What the lists show: they are listed again when this changes.
private struct ListKey: Equatable {
  let last: [RecordPlace?]
  let counts: [Int]
  let targets: [DisplayedTarget]
  let runs: [RunEntry]
  /// They are listed with runs, and grow without any change of these.
  let silences: [Age]
  let runsPosition: RunsPosition
  let shown: RunID?
  let panels: PanelContent
  let tables: TableState
  let lists: ListsState
  /// Lists that follow end where a window in the past ends.
  let anchor: ViewState.Anchor
  let scale: TimeScale?
  let target: Int?
  let coloring: MarkColoring
  let colors: ValueColors?

  init(_ snapshot: Snapshot, _ latest: Snapshot, _ state: ViewState, _ colors: ValueColors?) {
    last = [snapshot.log.last?.place, snapshot.events.last?.place]
    counts = [
      snapshot.log.count, snapshot.logList.first, snapshot.logList.total, snapshot.events.count,
      snapshot.eventList.first, snapshot.eventList.total,
    ]
    targets = snapshot.targets
    runs = latest.runs
    silences = latest.silences(at: latest.now)
    runsPosition = state.runs
    shown = snapshot.run?.id
    panels = snapshot.panels
    tables = state.tables
    lists = state.lists
    (anchor, scale) = (state.anchor, state.scale)
    target = state.target
    (coloring, self.colors) = (state.plot.coloring, colors)
  }
}

/// Which tabs have room for their names. The active one always has its name; the others have at least their number.
enum TabNames {
  static func whole(active: Panel, columns: Int) -> Set<Panel> {
    // The header keeps the rest: what is on display, of which run, and what asks for attention.
    let room = max(38, min(44, columns - 36), columns - 72)
    var whole: Set<Panel> = [active]
    var used = Panel.allCases.reduce(0) { $0 + ($1 == active ? $1.label.count : 1) + 2 }
    for panel in Panel.allCases where panel != active {
      let more = panel.label.count - 1
      guard used + more <= room else { continue }
      used += more
      whole.insert(panel)
    }
    return whole
  }
}

extension Panel {
  /// The key and the name.
  fileprivate var label: String { "\(rawValue + 1) \(title)" }
}

/// The name of a panel in the header: shows the panel when it is clicked.
private final class TabButton: View {
  private let panel: Panel
  /// Drawn anew with the color that follows from it.
  var appearance: Appearance

  /// Called when it is clicked.
  var choose: (Panel) -> Void = { _ in }

  init(panel: Panel, appearance: Appearance) {
    self.panel = panel
    self.appearance = appearance
    super.init()
    identifier = "tab \(panel.title)"
    tag = panel.rawValue
    addGestureRecognizer(TapGestureRecognizer { [unowned self] _ in choose(panel) })
  }

  /// Only its number is shown.
  var isShort = false {
    didSet { if isShort != oldValue { invalidateIntrinsicContentSize() } }
  }

  private var label: String { isShort ? "\(panel.rawValue + 1)" : panel.label }

  /// The label between brackets.
  override var intrinsicContentSize: Size? { Size(width: Double(label.count + 2), height: 1) }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    // The brackets tell the active tab where there are no colors.
    let isActive = tintColor == appearance.theme.activeTab
    var style = CellStyle(attributes: isActive ? .bold : [])
    if appearance.hasColors { style.foreground = presentationTintColor }
    canvas.write(isActive ? "[\(label)]" : " \(label) ", x: rect.x0, y: rect.y0, style: style)
  }
}
