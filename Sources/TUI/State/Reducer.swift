import Configuration
import ConstraintAnimation
import Measurement
import Store

/// The dashboard's state machine: a pure function from state and input to the next state and effects.
struct Reducer {
  private var state: ViewState
  private var effects: [ScreenEffect] = []
  private let context: ScreenContext

  /// - Parameter context: what was read and what is on the screen; it is not changed.
  static func reduce(_ state: ViewState, _ input: ScreenInput, in context: ScreenContext) -> (
    state: ViewState, effects: [ScreenEffect]
  ) {
    var reducer = Reducer(state: state, context: context)
    switch input {
    case .command(let command): reducer.perform(command)
    case .pointer(let action): reducer.point(action)
    case .answer(let prompt, let text): reducer.answer(prompt, text)
    case .confirm(let command): reducer.request(command)
    case .report(let report): reducer.effects += RunControl.apply(report, to: &reducer.state)
    }
    return (reducer.state, reducer.effects)
  }

  private init(state: ViewState, context: ScreenContext) { (self.state, self.context) = (state, context) }

  private mutating func perform(_ command: Command) {
    if context.hasNotice, !command.worksBehindNotice { return }
    let columns = geometry.columns
    switch command {
    case .quit: effects.append(.host(.quit))
    case .redraw: effects.append(.host(.redraw))
    case .suspend: effects.append(.host(.suspend))
    case .releaseMouse:
      state.releasesMouse.toggle()
      say(state.releasesMouse ? "the terminal has the mouse" : "the dashboard has the mouse")
      effects.append(.host(.releaseMouse(state.releasesMouse)))
    case .help: effects.append(.toggleHelp)
    case .palette: effects.append(.open(.palette(CommandPalette())))
    case .dismiss: dismiss()
    case .nextTheme: nextTheme()
    case .nextMotion: nextMotion()
    case .toggleFrameCost: state.showsFrameCost.toggle()
    case .startStop: effects.append(runControl.startOrStop())

    case .showPanel(let panel): slide(to: panel)
    case .nextPanel: slide(to: context.activePanel.next)
    case .previousPanel: slide(to: context.activePanel.previous)
    case .toggleSlides:
      state.slides = state.slides == .horizontal ? .vertical : .horizontal
      say(state.slides == .horizontal ? "panels slide sideways" : "panels slide up and down")
    case .rotate: state.arrangement = context.arrangement.other
    case .scroll(let rows) where crosshairTakesArrows: moveCrosshair(columns: 0, rows: rows)
    case .scroll(let rows): scroll(by: rows)
    case .page(let pages): scroll(by: pages * max(1, listRows - 1))
    case .scrollToStart: scroll(by: -ViewState.toEnd)
    case .scrollToEnd: scroll(by: ViewState.toEnd)
    case .filter: askFilter()

    case .choose: openRun()
    case .mark: markRun()
    case .rename: effects.append(runControl.rename())
    case .delete: effects.append(runControl.delete())
    case .compare: compare()

    case .pan(let eighths) where crosshairTakesArrows:
      moveCrosshair(columns: eighths.signum() * (abs(eighths) > 1 ? 8 : 1), rows: 0)
    case .pan(let eighths) where state.replay != nil: scrub(eighths: eighths)
    case .pan(let eighths): state.pan(columns: eighths * max(1, columns / 8), in: shown, of: columns)
    case .zoomIn: state.zoom(in: true, about: crosshairFraction, in: shown, columns: columns)
    case .zoomOut: state.zoom(in: false, about: crosshairFraction, in: shown, columns: columns)
    case .follow: follow()
    case .freeze: freezeOrGoOn()
    case .goTo: effects.append(.open(.prompt(Prompt(.goTo, title: "go to", hint: TimeInput.hint))))
    case .replay: toggleReplay()
    case .faster: changeSpeed(by: 1)
    case .slower: changeSpeed(by: -1)

    case .toggleScale: state.axisKind = state.axisKind == .linear ? .logarithmic : .linear
    case .toggleRange: nextRange()
    case .nextMetric: state.metric = state.metric(in: shown).next
    case .nextTarget: state.nextTarget(in: shown)
    case .nextAverages: state.plot.averages = state.plot.averages.next
    case .nextColoring: state.plot.coloring = state.plot.coloring.next
    case .nextArrangement: state.plot.arrangement = state.plot.arrangement.next
    case .nextBuckets: state.plot.buckets = state.plot.buckets.next
    case .nextMarks:
      state.plot.view = state.plot.view.nextMarks
      say(state.plot.view.name)
    case .nextHeatMap:
      state.plot.view = state.plot.view.nextHeatMap
      say(state.plot.view.name)
    case .toggleMultiples: toggleMultiples()
    case .toggleThreshold: toggleThreshold()
    case .lowerThreshold: state.plot.threshold = state.plot.threshold.map(LatencyAxis.niceBelow)
    case .raiseThreshold: state.plot.threshold = state.plot.threshold.map(LatencyAxis.niceAbove)
    case .zoomInLatency: scaleLatency(by: 0.5, about: 0.5)
    case .zoomOutLatency: scaleLatency(by: 2, about: 0.5)
    case .panUp where crosshairTakesArrows: moveCrosshair(columns: 0, rows: -4)
    case .panDown where crosshairTakesArrows: moveCrosshair(columns: 0, rows: 4)
    case .panUp: moveLatency(by: 0.125)
    case .panDown: moveLatency(by: -0.125)

    case .toggleCrosshair: toggleCrosshair()
    case .previousNotification: step(forward: false)
    case .nextNotification: step(forward: true)
    case .beginBox: beginBox()
    case .zoomToBox: zoomToBox()
    case .nextDragAction:
      state.plot.dragAction = state.plot.dragAction.next
      say("dragging in the plot \(state.plot.dragAction.name)")
    case .choosePrevious: choose(forward: false)
    case .chooseNext: choose(forward: true)
    case .list: listSelection()
    case .exportSelection:
      guard let selection = state.plot.selection else { return sayNothingSelected() }
      effects.append(.host(.exportSamples(selection.ids(in: shown.tracks.map(\.target)))))
    case .exportView: effects.append(.open(.formats))
    }
  }

  private mutating func point(_ action: PointerAction) {
    guard !context.hasNotice else { return }
    switch action {
    case .hover(let place):
      guard !state.plot.holdsCrosshair || place != nil else { return }
      state.plot.holdsCrosshair = false
      state.plot.crosshair = place
    case .beginDrag(let action, let place): state.plot.box = action == .pan ? nil : PlotBox(at: place)
    case .drag(let action, let last, let place):
      if !state.plot.holdsCrosshair { state.plot.crosshair = place }
      guard action == .pan else {
        state.plot.box?.end = place
        return
      }
      state.pan(columns: last.column - place.column, in: shown, of: geometry.columns)
      // A range that fits the data does not follow the pointer.
      if case .fixed = state.range, place.y != last.y {
        moveLatency(by: Double(place.y - last.y) / Double(max(1, geometry.rows)))
      }
    case .endDrag(let action, let place, let hasMoved):
      let box = state.plot.box
      state.plot.box = nil
      if !hasMoved {
        click(place)
      } else if let box, !box.isEmpty {
        if action == .zoom { zoom(to: box) } else { select(box) }
      }
    case .zoomTime(let isCloser, let fraction):
      state.zoom(in: isCloser, about: fraction, in: shown, columns: geometry.columns)
    case .zoomLatency(let factor, let position): scaleLatency(by: factor, about: position)
    case .scrollPanel(let rows): scroll(by: rows)
    case .clickPanel(let x, let y): choose(atX: x, y: y)
    case .clickRun(let row): clickRun(row)
    }
  }

  private mutating func answer(_ prompt: Prompt, _ text: String) {
    switch prompt.purpose {
    case .goTo:
      guard let problem = go(to: text) else { return }
      var prompt = prompt
      prompt.problem = problem
      effects.append(.open(.prompt(prompt)))
    case .filter:
      state.filter = ListFilter(text)
      (state.logPosition, state.eventPosition) = (.end, .end)
    case .rename(let run): request(.rename(run, name: text.isEmpty ? nil : text))
    case .startRun: request(.start(name: text.isEmpty ? nil : text))
    }
  }

  private mutating func request(_ command: ControlCommand) {
    effects.append(.show(FooterMessage(text: "sending the request\(context.appearance.glyphs.ellipsis)")))
    effects.append(.host(.control(command)))
  }

  // MARK: - What is on the screen

  private var shown: Snapshot { context.shown }

  private var geometry: ScatterGeometry { context.panes(state).panes[0].geometry }

  private var plot: PlotScene? { context.plot(state) }

  private var listRows: Int {
    ListModel.room(
      height: context.panelFrame.height, hasHeading: state.panel == .events || state.panel == .runs)
  }

  private mutating func say(_ text: String, _ role: Role = .accent) { effects.append(.say(text, role)) }

  // MARK: - Dashboard

  /// Ends one thing at a time, the one on top first.
  private mutating func dismiss() {
    if state.plot.box != nil {
      state.plot.box = nil
    } else if state.plot.holdsCrosshair {
      toggleCrosshair()
    } else if state.plot.selection != nil {
      select(nil, by: nil)
    } else {
      state.filter = nil
    }
  }

  private mutating func nextTheme() {
    let themes = context.options.themes
    guard let place = themes.firstIndex(of: context.appearance.theme) ?? themes.indices.last else { return }
    let theme = themes[(place + 1) % themes.count]
    effects.append(.setTheme(theme))
    say("theme \(theme.name)")
  }

  private mutating func nextMotion() {
    let levels: [(level: MotionLevel, name: String)] = [(.full, "full"), (.basic, "basic"), (.none, "no")]
    let place = levels.firstIndex { $0.level == context.motion } ?? 0
    let next = levels[(place + 1) % levels.count]
    effects.append(.setMotion(next.level))
    say("\(next.name) motion")
  }

  // MARK: - Panels

  private mutating func slide(to panel: Panel) {
    guard panel != context.activePanel, !context.hasNotice else { return }
    state.panel = panel
    effects.append(.slide(to: panel))
  }

  private mutating func scroll(by rows: Int) {
    state.scroll(
      state.panel, by: rows, in: state.panel == .runs ? context.latest : shown, context.listed, rows: listRows
    )
  }

  private mutating func askFilter() {
    if state.panel != .log, state.panel != .events { slide(to: .log) }
    effects.append(
      .open(
        .prompt(
          Prompt(
            .filter, title: "only lines with", hint: "words in any order; leave it empty to list all lines",
            text: state.filter?.text ?? ""))))
  }

  // MARK: - Runs

  /// The run that keys act on: the chosen one of the list, while it is open.
  private var chosenRun: RunEntry? {
    guard state.panel == .runs, !context.latest.runs.isEmpty else { return nil }
    return context.latest.runs[state.runs.place(in: context.latest.runs)]
  }

  private var runControl: RunControl {
    RunControl(latest: context.latest, chosen: chosenRun, options: context.options)
  }

  /// Shows the chosen run. The newest one is followed, and the next after it.
  private mutating func openRun() {
    guard let run = chosenRun else { return }
    state.replay = nil
    state.frozenAt = nil
    state.endComparison()
    state.subject = Subject(run: run.id == context.latest.runs.first?.id ? nil : run.id, target: nil)
    if run.id != context.latest.run?.id { say("opening \(run.title)") }
    effects.append(.adopt)
  }

  /// A click chooses a run; a click on the chosen one opens it.
  private mutating func clickRun(_ row: Int) {
    let runs = context.latest.runs
    let visible = state.runs.visible(in: runs, rows: listRows)
    // Title and heading are above the rows.
    let place = visible.lowerBound + row - 2
    guard row >= 2, visible.contains(place) else { return }
    if runs[place].id == chosenRun?.id { openRun() } else { state.runs.chosen = runs[place].id }
  }

  private mutating func markRun() {
    guard let run = chosenRun else { return say("runs are marked in their panel", .warning) }
    state.runs.toggleMark(run.id)
    guard state.runs.marked.count == 2 else { return }
    let key = context.options.keys.stroke(for: .compare).map {
      context.appearance.isASCII ? $0.plainLabel : $0.label
    }
    say("two runs are marked\(key.map { "; \($0) compares them" } ?? "")")
  }

  /// Shows two marked runs or two targets beside each other, or returns to one plot.
  private mutating func compare() {
    if state.comparison != nil {
      state.endComparison()
      return
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

  // MARK: - Time

  /// Follows the newest of the run on display; where that is so already, the newest run.
  private mutating func follow() {
    if state.anchor == .edge, !state.isFrozen, state.replay == nil { state.subject.run = nil }
    state.follow()
    effects.append(.adopt)
  }

  private mutating func freezeOrGoOn() {
    if let replay = state.replay {
      state.replay?.isPaused = !replay.isPaused
      return
    }
    state.toggleFrozen(in: shown)
    effects.append(state.isFrozen ? .hold : .adopt)
  }

  /// Replays the run from the start of the window, or from the start of the run when all of it is over and the window
  /// follows.
  private mutating func toggleReplay() {
    if state.replay != nil {
      state.replay = nil
      say("the replay is over")
    } else {
      guard let run = context.latest.run, let content = context.content else { return }
      state.frozenAt = nil
      let start = max(content.window.start, run.startedAt)
      state.replay = Replay(at: state.anchor == .edge && !run.isLive ? run.startedAt : start)
    }
    state.anchor = .edge
    effects.append(.adopt)
  }

  private mutating func changeSpeed(by steps: Int) {
    guard state.replay != nil else { return say("nothing is being replayed", .warning) }
    state.replay?.accelerate(by: steps)
  }

  /// Moves the moment of the replay by eighths of the window.
  private mutating func scrub(eighths: Int) {
    guard let replay = state.replay, let content = context.content else { return }
    let moved = replay.position.advanced(byMicroseconds: Int64(eighths) * content.window.duration / 8)
    state.replay?.position = min(max(moved, context.latest.run?.startedAt ?? moved), context.latest.edge)
    effects.append(.adopt)
  }

  /// Goes to a moment that was typed.
  /// - Returns: what is wrong with the text; `nil` when nothing is.
  private mutating func go(to text: String) -> String? {
    guard let content = context.content else { return nil }
    let latest = context.latest
    let middle = content.window.start.advanced(byMicroseconds: content.window.duration / 2)
    let zone = context.options.zone
    let reader = TimeInput(
      now: latest.edge, start: latest.run?.startedAt, shown: state.replay?.position ?? middle, zone: zone)
    if TimeInput.isNewest(text) {
      if state.replay != nil { state.replay?.position = latest.edge } else { state.frozenAt = nil }
      state.anchor = .edge
      effects.append(.adopt)
      return nil
    }
    do throws(TimeInput.Problem) {
      let moment = try reader.moment(text)
      if let start = latest.run?.startedAt, moment < start || moment > latest.edge {
        let (from, to) = (zone.civil(start).dateTime, zone.civil(latest.edge).dateTime)
        return "the run goes from \(from) to \(to); choose a moment between them"
      }
      state.goTo(moment, in: shown, columns: geometry.columns)
      if state.replay != nil { effects.append(.adopt) }
      return nil
    } catch {
      return error.text
    }
  }

  // MARK: - Axis of latencies

  /// Fits all, caps at the 99th percentile, keeps the range that is shown.
  private mutating func nextRange() {
    switch state.range {
    case .automatic: state.range = .capped
    case .capped: if let axis = plot?.axis { state.range = .fixed(lower: axis.lower, upper: axis.upper) }
    case .fixed: state.range = .automatic
    }
  }

  private mutating func toggleMultiples() {
    state.plot.hasMultiples.toggle()
    guard state.plot.hasMultiples else { return say("one pane for all targets") }
    if state.comparison != nil {
      say("two plots are compared: they have a pane each", .warning)
    } else if state.shownTargets(in: shown).count < 2 {
      say("there is one target only", .warning)
    } else if context.panes(state).panes.count < 2 {
      say("there is no room for a pane for each target", .warning)
    } else {
      say("a pane for each target")
    }
  }

  private mutating func toggleThreshold() {
    guard state.plot.threshold == nil else {
      state.plot.threshold = nil
      return
    }
    guard let plot else { return }
    if state.plot.holdsCrosshair, let place = state.plot.crosshair, let axis = plot.axis(of: place.pane) {
      let share = (Double(geometry.axisRow - 1 - place.y) + 0.5) / Double(max(1, geometry.rows))
      state.plot.threshold = max(1, Int64(axis.value(at: share).rounded()))
      return
    }
    let value = plot.content.summary[.p99].value ?? plot.content.facts.largest ?? 1_000_000
    state.plot.threshold = LatencyAxis.niceCeiling(max(1, value))
  }

  /// Shows a multiple of the range, about a place: 0 is the lower edge of the axis, 1 the upper one.
  private mutating func scaleLatency(by factor: Double, about position: Double) {
    guard let axis = plot?.axis else { return }
    state.range = axis.range(from: position - position * factor, to: position + (1 - position) * factor)
  }

  /// Moves the range by a share of its height.
  private mutating func moveLatency(by share: Double) {
    guard let axis = plot?.axis else { return }
    state.range = axis.range(from: share, to: 1 + share)
  }

  // MARK: - Crosshair and box

  private var crosshairTakesArrows: Bool { state.plot.holdsCrosshair && !context.isCovered }

  /// Where keys zoom about: the crosshair, else the middle.
  private var crosshairFraction: Double {
    guard state.plot.holdsCrosshair, let place = state.plot.crosshair else { return 0.5 }
    return (Double(place.column) + 0.5) / Double(max(1, geometry.columns))
  }

  private mutating func moveCrosshair(columns: Int, rows: Int) {
    guard var place = state.plot.crosshair else { return }
    place.column = min(max(place.column + columns, 0), geometry.columns - 1)
    place.y = min(max(place.y + rows, geometry.bandRow), geometry.axisRow - 1)
    setCrosshair(place)
  }

  private mutating func setCrosshair(_ place: PlotPosition) {
    state.plot.crosshair = place
    state.plot.box?.end = place
  }

  private mutating func toggleCrosshair() {
    state.plot.box = nil
    state.plot.holdsCrosshair.toggle()
    guard state.plot.holdsCrosshair else {
      state.plot.crosshair = nil
      return
    }
    guard geometry.rows > 0, geometry.columns > 0 else { return }
    let middle = PlotPosition(
      pane: 0, column: geometry.columns / 2, y: geometry.firstRow + geometry.rows / 2)
    state.plot.crosshair = state.plot.crosshair ?? middle
  }

  /// Puts the crosshair on the next notification in time, or the one before; first of all on the nearest.
  private mutating func step(forward: Bool) {
    if !state.plot.holdsCrosshair { toggleCrosshair() }
    guard let place = state.plot.crosshair, let tester = plot?.hitTester(of: place.pane),
      let pick = tester.nearest(to: place.column, y: place.y)
    else { return }
    let isThere = pick.column == place.column && pick.y == place.y
    let known = state.plot.stepped.flatMap { $0.column == place.column && $0.y == place.y ? $0 : nil }
    guard let next = isThere ? tester.neighbor(of: known ?? pick, forward: forward) : pick else { return }
    state.plot.stepped = next
    setCrosshair(PlotPosition(pane: place.pane, column: next.column, y: next.y))
  }

  private mutating func beginBox() {
    if state.plot.box != nil {
      state.plot.box = nil
    } else {
      if !state.plot.holdsCrosshair { toggleCrosshair() }
      state.plot.box = state.plot.crosshair.map(PlotBox.init(at:))
    }
  }

  private mutating func zoomToBox() {
    guard let box = state.plot.box else { return zoomToSelection() }
    state.plot.box = nil
    zoom(to: box)
  }

  private mutating func zoom(to box: PlotBox) {
    guard let axis = plot?.axis(of: box.start.pane) else { return }
    let geometry = geometry
    let columns = max(0, box.columns.lowerBound)...max(0, box.columns.upperBound)
    if geometry.rows > 0, box.rows.count < geometry.rows {
      func position(below y: Int) -> Double {
        min(max(Double(geometry.axisRow - y) / Double(geometry.rows), 0), 1)
      }
      state.range = axis.range(
        from: position(below: box.rows.upperBound + 1), to: position(below: box.rows.lowerBound))
    }
    state.zoom(to: columns, in: shown, columns: geometry.columns)
  }

  /// Fits time and latency to the selection.
  private mutating func zoomToSelection() {
    guard let content = context.content, let selection = state.plot.selection else { return }
    var times: ClosedRange<Int64>?
    for track in shown.tracks {
      selection.forEach(of: track, in: 0..<track.count) { _, point in
        let range = times ?? point.plannedAt...point.plannedAt
        times = min(range.lowerBound, point.plannedAt)...max(range.upperBound, point.plannedAt)
      }
    }
    guard let times else { return }
    let window = content.window
    let first = window.column(of: WallTime(microseconds: times.lowerBound))
    let last = window.column(of: WallTime(microseconds: times.upperBound))
    state.range = .automatic
    state.zoom(to: first - 1...last + 1, in: shown, columns: geometry.columns)
  }

  // MARK: - Selection in the plot

  /// Selects; an empty selection is none.
  private mutating func select(_ selection: Selection?, by choice: PanelChoice?) {
    let selection = selection.flatMap { $0.isEmpty ? nil : $0 }
    state.plot.selection = selection
    state.plot.choice = choice
    let message = selection.map {
      FooterMessage(
        text: "\(FixedPoint.grouped($0.count)) selected, \($0.label): Enter lists, e writes a CSV file",
        role: .strong)
    }
    effects.append(.show(message))
  }

  private mutating func select(_ pick: PickedNotification) {
    var selection = Selection(label: "at the crosshair")
    selection.add(pick.sequence, of: shown.tracks[pick.target].target)
    select(selection, by: nil)
  }

  private mutating func select(_ box: PlotBox) {
    guard let tester = plot?.hitTester(of: box.start.pane) else { return }
    let selection = tester.selection(in: box)
    select(selection, by: nil)
    if selection.isEmpty { say(sumsInView ?? "nothing in the box") }
  }

  /// Selects the notification under the pointer; a click beside all of them clears the selection.
  private mutating func click(_ place: PlotPosition) {
    if let pick = plot?.pick(at: place), abs(pick.column - place.column) <= 2, abs(pick.y - place.y) <= 1 {
      select(pick)
    } else {
      select(nil, by: nil)
    }
  }

  /// Why nothing can be selected in a window that is drawn from sums; `nil` in any other.
  private var sumsInView: String? {
    context.content?.facts.sums.isEmpty ?? true
      ? nil : "only sums are shown here: zoom in until single notifications are"
  }

  private mutating func listSelection() {
    if let box = state.plot.box {
      state.plot.box = nil
      select(box)
    } else if state.plot.holdsCrosshair, state.plot.selection == nil, let place = state.plot.crosshair,
      let pick = plot?.pick(at: place)
    {
      select(pick)
    }
    if state.plot.selection == nil {
      sayNothingSelected()
    } else {
      effects.append(.open(.selection(firstRow: 0)))
    }
  }

  private mutating func sayNothingSelected() {
    say("nothing is selected: click or drag in the plot, or press i, then Enter")
  }

  // MARK: - Selection in the panels

  /// Selects the bucket, log line or event at a cell.
  private mutating func choose(atX x: Int, y: Int) {
    if let choice = PanelSelection(state, context, rows: listRows).choice(atX: x, y: y) { select(choice) }
  }

  /// Selects the next bucket, log line or event, or the one before; first of all the one nearest to the end.
  private mutating func choose(forward: Bool) {
    if state.panel == .runs {
      state.runs.move(by: forward ? 1 : -1, in: context.latest.runs, rows: listRows)
      return
    }
    let panel = PanelSelection(state, context, rows: listRows)
    guard let choice = panel.next(forward: forward) else { return }
    switch choice {
    case .bucket: break
    case .logLine(let number): state.logPosition = panel.position(showing: number, of: .log)
    case .event(let number): state.eventPosition = panel.position(showing: number, of: .events)
    }
    select(choice)
  }

  private mutating func select(_ choice: PanelChoice) {
    guard let selection = PanelSelection(state, context, rows: listRows).selection(of: choice) else { return }
    select(selection, by: choice)
    if case .bucket = choice, selection.isEmpty, let sumsInView { say(sumsInView) }
  }
}
