import Configuration
import ConstraintAnimation
import Measurement
import Store

/// What commands do to the panels: lists, tables and the comparison.
extension Reducer {
  // MARK: - Panels

  mutating func slide(to panel: Panel) {
    guard panel != context.activePanel, !context.hasNotice else { return }
    state.panel = panel
    effects.append(.slide(to: panel))
  }

  mutating func scroll(by rows: Int) {
    if state.panel == .targets, context.targetsLayout(state).targets == 0 { return scrollValues(by: rows) }
    // A list that follows the window begins to move from where that is.
    if state.panel == .log || state.panel == .events {
      state.lists.setPosition(context.listPosition(of: state.panel, state), of: state.panel)
    }
    let rows = state.tables.isNewestFirst(state.panel) ? -rows : rows
    state.scroll(
      state.panel, by: rows, in: state.panel == .runs ? context.latest : shown, context.listed, rows: listRows
    )
  }

  /// Turns pages: of the values of a key where these are not all in view, else of the panel's list.
  /// - Parameter distance: for the number of rows in view.
  mutating func turn(_ distance: (Int) -> Int) {
    let rows = context.targetsLayout(state).valueRows
    if state.panel == .targets, let table = context.valueTable(state), table.rows.count > rows {
      scrollValues(by: distance(rows))
    } else {
      scroll(by: distance(listRows))
    }
  }

  private mutating func scrollValues(by rows: Int) {
    let count = context.valueTable(state)?.rows.count ?? 0
    state.tables.scrollValues(by: rows, of: count, rows: context.targetsLayout(state).valueRows)
  }

  mutating func askFilter() {
    if state.panel != .log, state.panel != .events { slide(to: .log) }
    effects.append(.open(Prompt.filter(state.lists.filter?.text ?? "")))
  }

  // MARK: - Hits

  /// Chooses the next line with the words of the filter.
  mutating func nextHit(forward: Bool) {
    guard state.lists.filter != nil else {
      return say("no words are looked for; \(label(.filter)) asks for some", .warning)
    }
    if state.panel != .log, state.panel != .events { slide(to: .log) }
    let isForward = forward != state.tables.isNewestFirst(state.panel)
    let panel = PanelSelection(state, context, rows: listRows)
    showHit(
      for: ListSearch(
        panel: state.panel, isForward: isForward, from: panel.startOfSearch(forward: isForward),
        origin: state.lists.position(of: state.panel)))
  }

  /// Shows the next hit. Where none is in memory, the lines beyond are read, and the search goes on when they are there.
  private mutating func showHit(for search: ListSearch) {
    let panel = PanelSelection(state, context, rows: listRows)
    if let choice = panel.hit(forward: search.isForward, from: search.from) {
      state.lists.search = nil
      return show(choice)
    }
    guard let edge = context.edge(beyond: search) else {
      state.lists.endSearch()
      return say(search.isForward ? "no hit after this one" : "no hit before this one")
    }
    var search = search
    search.reached = edge
    state.lists.search = search
    state.lists.setPosition(.at(edge), of: search.panel)
    effects.append(.show(FooterMessage(text: "searching\(context.appearance.glyphs.ellipsis)")))
  }

  /// Goes on with a search when the lines that it waits for have been read.
  mutating func goOnSearching() {
    guard let search = state.lists.search, search.panel == state.panel else { return state.lists.endSearch() }
    guard context.hasRead(beyond: search) else { return }
    effects.append(.show(nil))
    showHit(for: search)
  }

  mutating func toggleHits() {
    guard state.lists.filter != nil else {
      return say("no words are looked for; \(label(.filter)) asks for some", .warning)
    }
    let rowsAfter = PanelSelection(state, context, rows: listRows).rowsAfterChosen
    state.lists.showsAll.toggle()
    if let rowsAfter {
      var context = context
      context.listed = ListedRows(shown, state.lists, state.tables)
      let panel = PanelSelection(state, context, rows: listRows)
      if let position = panel.position(withChosenBefore: rowsAfter) {
        state.lists.setPosition(position, of: state.panel)
      }
    }
    say(state.lists.showsAll ? "all lines; \(label(.nextHit)) goes to the next hit" : "only hits")
  }

  mutating func openLine() {
    guard state.panel == .log || state.panel == .events else {
      return say("lines are opened in log and events", .warning)
    }
    if context.line(state) == nil { choose(forward: false) }
    if context.line(state) != nil { effects.append(.open(LineSheet())) }
  }

  /// Copies what is open or chosen.
  mutating func copy() {
    guard let text = context.clipping(state), !text.isEmpty else {
      return say("open a notification or choose a line to copy it", .warning)
    }
    effects.append(.host(.copy(text)))
    say("copied")
  }

  func label(_ action: DashboardAction) -> String { context.keyLabel(action) }

  // MARK: - Order and columns

  mutating func sort() {
    let titles = context.sortable(state.panel)
    guard !titles.isEmpty else { return say("lists can be put in order", .warning) }
    say(state.tables.sort(state.panel, among: titles))
  }

  mutating func toggleColumn(_ title: String) {
    if !state.tables.toggleColumn(title, of: state.panel, among: context.columns(state)) {
      say("one column stays", .warning)
    }
  }

  mutating func chooseColumns() {
    guard !context.columns(state).isEmpty else {
      return say("columns are chosen of lists", .warning)
    }
    effects.append(.open(ColumnChooser()))
  }

  // MARK: - Runs

  /// The run that keys act on: the chosen one of the list, while it is open.
  var chosenRun: RunEntry? {
    let runs = context.listed.runs
    guard state.panel == .runs, !runs.isEmpty else { return nil }
    return runs[state.runs.place(in: runs)]
  }

  var runControl: RunControl {
    RunControl(latest: context.latest, chosen: chosenRun, options: context.options)
  }

  /// Shows the chosen run. The newest one is followed, and the next after it.
  mutating func openRun() {
    guard let run = chosenRun else { return }
    state.replay = nil
    state.frozenAt = nil
    state.endComparison()
    state.subject = Subject(run: run.id == context.latest.runs.first?.id ? nil : run.id, target: nil)
    if run.id != context.latest.run?.id { say("opening \(run.title)") }
    effects.append(.adopt)
  }

  /// Opens the chosen run, shows the chosen target alone, goes to the chosen finding or opens it.
  mutating func choose() {
    switch state.panel {
    case .targets: showTargetAlone()
    case .findings: goToFinding()
    case .histogram, .log, .events, .runs: openRun()
    }
  }

  mutating func mark() {
    if state.panel == .targets { toggleTarget() } else { markRun() }
  }

  // MARK: - Targets

  var chosenTarget: TargetRow? {
    let rows = context.listed.targets
    return rows.isEmpty ? nil : rows[state.tables.targets.place(in: rows.map(\.target.id))]
  }

  mutating func showTargetAlone() {
    guard let row = chosenTarget else { return }
    state.target = state.target == row.index ? nil : row.index
    say(state.target == nil ? "all targets" : "\(row.target.name) alone")
  }

  mutating func toggleTarget() {
    guard let row = chosenTarget else { return }
    state.target = nil
    state.tables.toggleTarget(row.target.id)
    let isHidden = state.tables.hiddenTargets.contains(row.target.id)
    let isAll = isHidden && state.shownTargets(in: shown).count == shown.targets.count
    if isAll { state.tables.hiddenTargets = [] }
    say(isAll ? "all targets" : "\(row.target.name) \(isHidden ? "is left out of" : "is in") the plot")
  }

  /// A click chooses a row; a click on the chosen one does what Enter does.
  mutating func clickRow(_ row: Int) {
    // Title and heading are above the rows.
    guard row >= 2 else { return }
    switch state.panel {
    case .runs: clickRun(row)
    case .targets:
      let ids = context.listed.targets.map(\.target.id)
      let rows = listRows
      if state.tables.targets.click(row: row - 2, in: ids, rows: rows) { choose() }
    case .findings: clickFinding(atLine: row - 2)
    case .histogram, .log, .events: break
    }
  }

  /// A click chooses a run; a click on the chosen one opens it.
  mutating func clickRun(_ row: Int) {
    let runs = context.listed.runs
    let visible = state.runs.visible(in: runs, rows: listRows)
    // Title and heading are above the rows.
    let place = visible.lowerBound + row - 2
    guard row >= 2, visible.contains(place) else { return }
    if runs[place].id == chosenRun?.id { openRun() } else { state.runs.chosen = runs[place].id }
  }

  mutating func markRun() {
    guard let run = chosenRun else { return say("runs are marked in their panel", .warning) }
    state.runs.toggleMark(run.id)
    guard state.runs.marked.count == 2 else {
      return say("\(run.title) is \(state.runs.marked.contains(run.id) ? "marked" : "no longer marked")")
    }
    let key = label(.compare)
    say("two runs are marked\(key.isEmpty ? "" : "; \(key) compares them")")
  }

  /// Shows two marked runs or two targets beside each other, or returns to one plot.
  mutating func compare() {
    if state.comparison != nil {
      state.endComparison()
      return say("the comparison is over")
    }
    let marked = state.runs.marked
    if marked.count == 2 {
      state.replay = nil
      state.comparison = .run(marked[1])
      if marked[0] != shown.run?.id {
        state.subject = Subject(run: marked[0], target: nil)
        state.frozenAt = nil
      }
      state.openingComparison = marked[0]
      state.openComparison(shown, with: context.other, columns: geometry.columns)
    } else if shown.targets.count > 1 {
      let first = state.target ?? 0
      state.comparison = .targets(first, (first + 1) % shown.targets.count)
    } else {
      return say("mark two runs in their panel to compare them, or look at a run with two targets", .warning)
    }
    slide(to: .histogram)
  }
}
