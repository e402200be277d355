import Analysis
import Configuration
import ConstraintAnimation
import Measurement
import Store

/// What commands and pictures depend on besides the `ViewState`: what was read, and what is where on the screen.
struct ScreenContext {
  /// The newest snapshot.
  var latest = Snapshot()
  /// The snapshot on display: the newest, or an older one while the view is frozen or a run is replayed.
  var shown = Snapshot()
  /// The newest snapshot of the second run, while two runs are compared.
  var other = Snapshot()
  /// The content of the first plot; `nil` while there is nothing to plot.
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
  /// A panel is on its way.
  var isSliding = false
  var listed = ListedRows()
  /// The view that going back leads to; `nil` at the first one.
  var previous: ViewPlace?
  /// The arrangement in force.
  var arrangement = Arrangement.below
  /// A notice covers the dashboard: no store, no run, or too small a terminal.
  var hasNotice = false
  /// The help or an overlay is open.
  var isCovered = false
  /// The overlay that is open; `nil` for none.
  var overlay: (any Overlay)?
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
        shaded: shaded(state), label: state.comparison == nil ? nil : "A \(comparedNames(state)[0])",
        appearance: appearance, zone: options.zone)
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
      label: "B \(comparedNames(state)[1])",
      appearance: appearance,
      zone: options.zone)
  }

  func histogram(_ state: ViewState, width: Int, height: Int) -> HistogramModel? {
    var none = SelectedValues()
    return histogram(state, width: width, height: height, &none)
  }

  /// - Parameter kept: of the last histogram.
  private func histogram(
    _ state: ViewState, width: Int, height: Int, _ kept: inout SelectedValues
  ) -> HistogramModel? {
    guard let content else { return nil }
    let selected = state.plot.selection.map {
      kept.parts(of: $0, in: shown, content.sources, metric: content.facts.metric)
    }
    return HistogramModel(
      facts: content.facts.counting(content.figures?.pings ?? []), before: content.before,
      summary: content.summary, summaries: content.summaries,
      kind: state.plot.buckets, selected: HistogramBuckets.Values(parts: selected ?? []),
      targetStyle: content.targets.count == 1 ? appearance.target(content.targets[0]) : appearance(.bar),
      isReading: content.isReading, openSums: content.openSums(in: shown), appearance: appearance,
      width: width, height: height)
  }

  /// The histogram, or the differences between two plots.
  /// - Parameter kept: of the last picture.
  func histogramPicture(
    _ state: ViewState, width: Int, height: Int, _ kept: inout HistogramCache
  ) -> CellPicture {
    guard let differences else {
      let columns = histogramColumns(width: width, height: height)
      let bars =
        histogram(state, width: columns, height: height, &kept.selected)?.picture(&kept.counts)
        ?? CellPicture(width: columns, height: height)
      guard columns < width else { return bars }
      var picture = CellPicture(width: width, height: height)
      picture.paste(bars, x: 0)
      let table = targets(state, hasFocus: false).list(width: width - columns, height: height)
      picture.paste(table.picture(), x: columns)
      return picture
    }
    return ComparisonModel(
      facts: differences, names: comparedNames(state),
      isReading: content?.isReading ?? false || otherContent?.isReading ?? false, appearance: appearance,
      width: width, height: height
    ).picture()
  }

  /// Columns of the histogram; the other half of a wide panel has the table of targets.
  func histogramColumns(width: Int, height: Int) -> Int {
    guard differences == nil, shown.targets.count > 1, width >= 180, height >= 12 else { return width }
    return width / 2
  }

  /// Whether the table of targets is on the screen.
  func showsTargets(_ panel: Panel) -> Bool {
    let (width, height) = (panelFrame.width, panelFrame.height)
    return panel == .targets || panel == .histogram && histogramColumns(width: width, height: height) < width
  }

  /// The panel of targets, with the values of a key below them while colors stand for these.
  func targetsPicture(_ state: ViewState, width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    let layout = targetsLayout(state, height: height)
    if layout.targets > 0 {
      picture.paste(targets(state).list(width: width, height: layout.targets).picture(), x: 0)
    }
    if let key = state.plot.coloring.key, layout.values > 0 {
      let values = ValuesModel(
        key: key, table: valueTable(state), colors: content?.valueColors, top: state.tables.firstValue,
        appearance: appearance, zone: options.zone)
      picture.paste(values.list(width: width, height: layout.values).picture(), x: 0, y: layout.targets)
    }
    return picture
  }

  private func targets(_ state: ViewState, hasFocus: Bool = true) -> TargetsModel {
    TargetsModel(
      snapshot: shown, position: state.tables.targets, order: state.tables.order[.targets],
      hiddenColumns: state.tables.hiddenColumns[.targets] ?? [], shown: state.shownTargets(in: shown),
      hasFocus: hasFocus, hasColors: content?.valueColors == nil, appearance: appearance, zone: options.zone)
  }

  func targetsLayout(_ state: ViewState) -> TargetsLayout {
    targetsLayout(state, height: panelFrame.height)
  }

  private func targetsLayout(_ state: ViewState, height: Int) -> TargetsLayout {
    TargetsLayout(
      height: height, targets: shown.targets.count,
      rows: state.plot.coloring.key.map { _ in valueTable(state)?.rows.count ?? 1 })
  }

  /// The table of the values of the key that is chosen; `nil` until it has been read.
  func valueTable(_ state: ViewState) -> ValueTable? {
    guard let table = shown.panels.values, table.order.key == state.plot.coloring.key,
      table.order.targets == state.shownTargets(in: shown).map({ shown.targets[$0].id })
    else { return nil }
    return table
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

  func header(_ state: ViewState) -> HeaderContent {
    let targets = state.shownTargets(in: shown)
    let news = latest.totals.reduce(0) { $0 + $1.due } - shown.totals.reduce(0) { $0 + $1.due }
    var silence: Age?
    if case .silent(let since) = shown.run?.phase { silence = Age(since: since, now: shown.now) }
    return HeaderContent(
      run: shown.run, silence: silence, interruption: shown.interruption, recording: latest.recording,
      isCollectorIdle: latest.collector?.isIdle ?? false,
      findings: shown.panels.findings.filter { $0.isOpen && shown.panels.removed[$0.target] == nil },
      removed: shown.panels.removed,
      objectives: shown.objectives,
      unforwarded: shown.unforwarded, retentionWait: shown.retentionWait,
      retentionWaitAge: shown.retentionWait.map { Age(since: $0.since, now: shown.now) },
      failedParts: shown.failedParts,
      silentTargets: zip(shown.targets, shown.totals)
        .filter { $1.isSilent && shown.panels.removed[$0.name] == nil }.map(\.0.name),
      handshakeFailure: shown.handshakeFailure, targets: shown.targets, shown: targets,
      isFrozen: state.isFrozen,
      follows: state.anchor == .edge, newSinceFrozen: max(0, news), replay: state.replay,
      rates: RateHistory(snapshot: shown, targets: targets), headline: shown.run.map(headline),
      hasTargetColors: state.plot.coloring != .state,
      values: content?.valueColors?.merged(with: otherContent?.valueColors),
      zoneName: options.zone.shortName(at: shown.now))
  }

  private func headline(_ run: DisplayedRun) -> String {
    let length = max(.zero, shown.now - run.startedAt)
    let rates = RateHistory(snapshot: shown, targets: Array(shown.targets.indices))
    let seconds = min(RateHistory.seconds, max(1, Int(length.components.seconds)))
    let collected = shown.targets.count { shown.panels.removed[$0.name] == nil }
    return StatusHeadline(
      phase: .collecting, run: StatusHeadline.label(run.name, run.id), targets: collected,
      rate: rates.average(seconds: seconds), length: length
    ).opening(SentenceClock(options.zone, today: shown.now, isNamed: true))
  }

  func log(_ state: ViewState) -> LogModel {
    var page = page(.log, state, chosen: state.plot.chosenLogLine)
    (page.extent, page.folds, page.hits) = (listed.logExtent, listed.logFolds, listed.logHits)
    return LogModel(
      entries: listed.log, targets: shown.targets, page: page, appearance: appearance, zone: options.zone)
  }

  func events(_ state: ViewState) -> EventsModel {
    var page = page(.events, state, chosen: state.plot.chosenEvent)
    (page.extent, page.folds, page.hits) = (listed.eventExtent, listed.eventFolds, listed.eventHits)
    return EventsModel(
      entries: listed.events, targets: shown.targets, page: page, appearance: appearance, zone: options.zone)
  }

  func runs(_ state: ViewState) -> RunsModel {
    RunsModel(
      runs: listed.runs, position: state.runs, order: state.tables.order[.runs],
      hiddenColumns: state.tables.hiddenColumns[.runs] ?? [], shown: shown.run?.id, now: latest.now,
      appearance: appearance, zone: options.zone)
  }

  private func page(_ panel: Panel, _ state: ViewState, chosen: RecordPlace?) -> RecordPageView {
    let own = state.lists.position(of: panel)
    return RecordPageView(
      position: listPosition(of: panel, state), isNewestFirst: state.tables.isNewestFirst(panel),
      until: own == .end ? windowEnd(state) : nil, filter: state.lists.filter, hitKey: keyLabel(.previousHit),
      marks: selectionMarks(state), stretch: shaded(state), chosen: chosen,
      hiddenColumns: state.tables.hiddenColumns[panel] ?? [])
  }

  /// Reads a moment of the run that was typed.
  func moment(_ text: String, _ state: ViewState) throws(TimeInput.Problem) -> WallTime {
    let window = content?.window
    let middle = window.map { $0.start + $0.duration / 2 } ?? latest.edge
    let moment = try TimeInput(
      now: latest.edge, start: latest.run?.startedAt, shown: state.replay?.position ?? middle,
      zone: options.zone
    ).moment(text)
    if let start = latest.run?.startedAt, moment < start || moment > latest.edge {
      let (from, to) = (options.zone.civil(start).dateTime, options.zone.civil(latest.edge).dateTime)
      throw TimeInput.Problem(text: "the run goes from \(from) to \(to); choose a moment between them")
    }
    return moment
  }

  /// The key of an action as it is written; empty for none.
  func keyLabel(_ action: DashboardAction) -> String {
    options.keys.stroke(for: action).map { appearance.isASCII ? $0.plainLabel : $0.label } ?? ""
  }

  /// The rows of log and events that belong to the selection; `nil` without one.
  func selectionMarks(_ state: ViewState) -> SelectionMarks? {
    state.plot.selection.map { SelectionMarks($0, in: shown) }
  }

  /// The position of log or events. A list that follows ends where a window in the past ends.
  func listPosition(of panel: Panel, _ state: ViewState) -> ListPosition {
    let own = state.lists.position(of: panel)
    guard own == .end, let end = windowEnd(state) else { return own }
    let last =
      panel == .log
      ? listed.log.last { $0.row.at < end }?.place : listed.events.last { $0.row.at < end }?.place
    return .at(last ?? .first)
  }

  /// Where the window ends, while it is in the past; `nil` while it shows the newest.
  func windowEnd(_ state: ViewState) -> WallTime? {
    guard state.anchor != .edge, state.replay == nil, let end = content?.window.end, end < shown.edge else {
      return nil
    }
    return end
  }

  /// The outermost line in memory on the way of a search; `nil` where there are none beyond it.
  func edge(beyond search: ListSearch) -> RecordPlace? {
    switch search.panel {
    case .log: Self.edge(of: shown.logList, search)
    case .events: Self.edge(of: shown.eventList, search)
    case .histogram, .runs, .targets, .findings: nil
    }
  }

  /// Whether lines beyond those that a search has reached are in memory, or there are none.
  func hasRead(beyond search: ListSearch) -> Bool {
    guard let edge = edge(beyond: search) else { return true }
    return search.isForward ? edge > search.reached : edge < search.reached
  }

  private static func edge<Row: RecordContent>(
    of list: RecordList<Row>, _ search: ListSearch
  ) -> RecordPlace? {
    if search.isForward { return list.reachesEnd ? nil : list.entries.last?.place }
    return list.first == 0 ? nil : list.entries.first?.place
  }

  /// The chosen line of the log, or the chosen event, in full; `nil` when none is.
  func line(_ state: ViewState) -> LineModel? {
    func name(_ id: TargetID?) -> String? { id.flatMap { id in shown.targets.first { $0.id == id }?.name } }
    switch state.panel {
    case .log:
      return listed.log.first { $0.place == state.plot.chosenLogLine }.map {
        LineModel($0.row, target: name($0.row.target), appearance: appearance, zone: options.zone)
      }
    case .events:
      return listed.events.first { $0.place == state.plot.chosenEvent }.map {
        LineModel($0.row, target: name($0.row.target), appearance: appearance, zone: options.zone)
      }
    case .histogram, .runs, .targets, .findings: return nil
    }
  }

  /// How the panel divides its lines among the findings.
  func findingsLayout(_ state: ViewState) -> FindingsLayout {
    FindingsLayout(
      count: listed.findings.count, room: ListModel.room(height: panelFrame.height, hasHeading: true),
      hidden: state.tables.hiddenColumns[.findings] ?? [])
  }

  /// Everything that is known of an incident, of which one finding is named.
  func finding(_ id: String) -> FindingDetails {
    func isOfIt(_ incident: FindingIncident) -> Bool { incident.findings.contains { $0.id == id } }
    let row = listed.findings.first { $0.repetition.incidents.contains(where: isOfIt) }
    return FindingDetails(
      incident: row?.repetition.incidents.first(where: isOfIt), repetition: row?.repetition,
      stoppedAt: shown.run?.stoppedAt, removed: shown.panels.removed,
      appearance: appearance, zone: options.zone)
  }

  /// The notification that is open; `nil` for none.
  func notification(_ id: SampleID) -> NotificationDetails {
    let record = latest.panels.notification.flatMap { $0.sample.id == id ? $0 : nil }
    return NotificationDetails(id: id, record: record, appearance: appearance, zone: options.zone)
  }

  /// What is copied: the opened notification or finding, else the chosen line.
  func clipping(_ state: ViewState) -> String? { overlay?.clipping(in: self) ?? line(state)?.text }

  /// The orders that a panel's rows can be in besides their own, most of them titles of columns.
  func sortable(_ panel: Panel) -> [String] {
    switch panel {
    case .runs: RunRows.orders.map(\.title)
    case .targets: TargetRows.orders.map(\.title)
    case .findings: FindingRows.orders.map(\.title)
    case .log, .events: [TableState.newestFirst]
    case .histogram: []
    }
  }

  /// Titles of the columns of the active panel's table.
  func columns(_ state: ViewState) -> [String] {
    switch state.panel {
    case .runs: runs(state).titles
    case .targets: targets(state).titles
    case .findings: FindingsModel.titles
    case .log: LogModel.titles(targets: shown.targets.count)
    case .events: EventsModel.titles
    case .histogram: []
    }
  }

  /// The stretch of time that plot, log and events shade: that of the chosen finding. In the panel of findings some finding
  /// is always chosen.
  func shaded(_ state: ViewState) -> Range<WallTime>? {
    let rows = listed.findings
    guard !rows.isEmpty, state.tables.findings.chosen != nil || state.panel == .findings else { return nil }
    let row = rows[state.tables.findings.place(in: rows.map(\.id))]
    return row.isOpen
      ? row.stretch.lowerBound..<max(row.stretch.upperBound, shown.edge) : row.stretch
  }
}
