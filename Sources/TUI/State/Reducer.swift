import Configuration
import ConstraintAnimation
import Measurement
import Store

/// The dashboard's state machine: a pure function from state and input to the next state and effects.
struct Reducer {
  var state: ViewState
  var effects: [ScreenEffect] = []
  let context: ScreenContext

  /// - Parameter context: what was read and what is on the screen; it is not changed.
  static func reduce(_ state: ViewState, _ input: ScreenInput, in context: ScreenContext) -> (
    state: ViewState, effects: [ScreenEffect]
  ) {
    var reducer = Reducer(state: state, context: context)
    switch input {
    case .command(let command):
      reducer.state.lists.endSearch()
      reducer.followNotification()
      reducer.perform(command)
    case .pointer(let action): reducer.point(action)
    case .answer(let prompt, let text): reducer.answer(prompt, text)
    case .confirm(let command): reducer.request(command)
    case .toggleColumn(let title): reducer.toggleColumn(title)
    case .read: reducer.goOnSearching()
    case .report(let report): reducer.effects += RunControl.apply(report, to: &reducer.state)
    }
    return (reducer.state, reducer.effects)
  }

  private init(state: ViewState, context: ScreenContext) { (self.state, self.context) = (state, context) }

  private mutating func perform(_ command: Command) {
    if context.hasNotice, !command.worksBehindNotice { return }
    if context.options.place.kind == .fleet, let what = command.changesAtCollector {
      return say("a fleet is only read: \(what)", .warning)
    }
    if let text = state.reduce(command, in: context) { return say(text) }
    let isDone =
      performInProgram(command) || performInPanel(command) || performInTime(command) || performInPlot(command)
    assert(isDone, "nothing carries out \(command)")
  }

  /// - Returns: whether the command is about the dashboard as a whole or the collector.
  private mutating func performInProgram(_ command: Command) -> Bool {
    switch command {
    case .quit: effects.append(.host(.quit))
    case .close: close()
    case .redraw: effects.append(.host(.redraw))
    case .suspend: effects.append(.host(.suspend))
    case .releaseMouse:
      state.releasesMouse.toggle()
      say(state.releasesMouse ? "the terminal has the mouse" : "the dashboard has the mouse")
      effects.append(.host(.releaseMouse(state.releasesMouse)))
    case .help: effects.append(.toggleHelp)
    case .palette: effects.append(.open(CommandPalette()))
    case .typed(let command): perform(command)
    case .dismiss: dismiss()
    case .nextTheme: nextTheme()
    case .nextMotion: nextMotion()
    case .toggleFrameCost: state.showsFrameCost.toggle()
    case .startStop: effects.append(runControl.startOrStop())
    case .rename: effects.append(runControl.rename())
    case .delete: effects.append(runControl.delete())
    case .exportView: effects.append(.open(ExportChooser()))
    case .copy: copy()
    default: return false
    }
    return true
  }

  private mutating func performInPanel(_ command: Command) -> Bool {
    switch command {
    case .showPanel(let panel): slide(to: panel)
    case .nextPanel: slide(to: context.activePanel.next)
    case .previousPanel: slide(to: context.activePanel.previous)
    case .scroll(let rows) where crosshairTakesArrows: moveCrosshair(columns: 0, rows: rows)
    case .scroll(let rows): scroll(by: rows)
    case .page(let pages): turn { pages * max(1, $0 - 1) }
    case .halfPage(let halves): turn { halves * max(1, $0 / 2) }
    case .scrollToStart: scroll(by: -ViewState.toEnd)
    case .scrollToEnd: scroll(by: ViewState.toEnd)
    case .filter: askFilter()
    case .nextHit: nextHit(forward: true)
    case .previousHit: nextHit(forward: false)
    case .onlyHits: toggleHits()
    case .wholeLine: openLine()
    case .sort: sort()
    case .columns: chooseColumns()
    case .choose: choose()
    case .mark: mark()
    case .compare: compare()
    case .choosePrevious: choose(forward: false)
    case .chooseNext: choose(forward: true)
    default: return false
    }
    return true
  }

  private mutating func performInTime(_ command: Command) -> Bool {
    switch command {
    case .pan(let eighths) where crosshairTakesArrows:
      moveCrosshair(columns: eighths.signum() * (abs(eighths) > 1 ? 8 : 1), rows: 0)
    case .pan(let eighths) where state.replay != nil: scrub(eighths: eighths)
    case .pan(let eighths):
      state.pan(columns: eighths * max(1, geometry.columns / 8), in: shown, of: geometry.columns)
    case .zoomIn: state.zoom(in: true, about: crosshairFraction, in: shown, columns: geometry.columns)
    case .zoomOut: state.zoom(in: false, about: crosshairFraction, in: shown, columns: geometry.columns)
    case .follow: follow()
    case .fitRun: fitRun()
    case .back: goBack()
    case .freeze: freezeOrGoOn()
    case .goTo: effects.append(.open(Prompt(.goTo, title: "go to", hint: TimeInput.hint)))
    case .annotate: askAnnotation()
    case .replay: toggleReplay()
    case .faster: changeSpeed(by: 1)
    case .slower: changeSpeed(by: -1)
    default: return false
    }
    return true
  }

  private mutating func performInPlot(_ command: Command) -> Bool {
    switch command {
    case .toggleRange: nextRange()
    case .nextTarget: nextTarget()
    case .toggleMultiples: toggleMultiples()
    case .toggleThreshold: toggleThreshold()
    case .zoomInLatency: scaleLatency(by: 0.5, about: 0.5)
    case .zoomOutLatency: scaleLatency(by: 2, about: 0.5)
    case .panUp where crosshairTakesArrows: moveCrosshair(columns: 0, rows: -4)
    case .panDown where crosshairTakesArrows: moveCrosshair(columns: 0, rows: 4)
    case .panUp: moveLatency(by: 0.125)
    case .panDown: moveLatency(by: -0.125)
    case .toggleCrosshair: state.plot.toggleCrosshair(in: geometry)
    case .previousNotification: step(forward: false)
    case .nextNotification: step(forward: true)
    case .beginBox: state.plot.beginBox(in: geometry)
    case .zoomToBox: zoomToBox()
    case .list: listSelection()
    case .exportSelection: exportSelection()
    default: return false
    }
    return true
  }

  private mutating func point(_ action: PointerAction) {
    guard !context.hasNotice else { return }
    switch action {
    case .hover(let place): state.plot.hover(at: place)
    case .beginDrag(let action, let place): state.plot.box = action == .pan ? nil : PlotBox(at: place)
    case .drag(let action, let last, let place):
      state.plot.drag(action, to: place)
      if action == .pan { pan(from: last, to: place) }
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
    case .clickRow(let row): clickRow(row)
    }
  }

  /// Moves the window with the pointer.
  private mutating func pan(from last: PlotPosition, to place: PlotPosition) {
    state.pan(columns: last.column - place.column, in: shown, of: geometry.columns)
    // A range that fits the data does not follow the pointer.
    if case .fixed = state.range, place.y != last.y {
      moveLatency(by: Double(place.y - last.y) / Double(max(1, geometry.rows)))
    }
  }

  mutating func answer(_ prompt: Prompt, _ text: String) {
    switch prompt.purpose {
    case .goTo:
      guard let problem = go(to: text) else { return }
      var prompt = prompt
      prompt.problem = problem
      effects.append(.open(prompt))
    case .filter:
      if let problem = ListFilter.problem(in: text) {
        var prompt = prompt
        prompt.problem = problem
        return effects.append(.open(prompt))
      }
      state.lists.setFilter(ListFilter(text))
    case .annotate(let moment): annotate(text, at: moment, prompt)
    case .rename(let run): request(.rename(run, name: text.isEmpty ? nil : text))
    case .startRun: request(.start(name: text.isEmpty ? nil : text))
    }
  }

  private mutating func perform(_ command: TypedCommand) {
    switch command {
    case .threshold(let value):
      state.plot.threshold = value
      say(state.plot.thresholdText)
    case .theme(let name):
      guard let theme = context.options.themes.first(where: { $0.name == name }) else { return }
      effects.append(.setTheme(theme))
      say("theme \(theme.name)")
    case .target(let index):
      state.target = index
      if index == nil { state.tables.hiddenTargets = [] }
      sayTarget()
    case .color(let coloring):
      state.plot.coloring = coloring
      say(coloring.name)
    case .goTo(let text):
      answer(Prompt(.goTo, title: "go to", hint: TimeInput.hint, text: text), text)
    case .filter(let text):
      if state.panel != .log, state.panel != .events { slide(to: .log) }
      answer(.filter(text), text)
    case .annotate(let text):
      context.options.place.kind == .fleet ? perform(.annotate) : annotate(text, at: instant, nil)
    }
  }

  mutating func request(_ command: ControlCommand) {
    effects.append(.show(FooterMessage(text: "sending the request\(context.appearance.glyphs.ellipsis)")))
    effects.append(.host(.control(command)))
  }

  // MARK: - What is on the screen

  var shown: Snapshot { context.shown }

  var geometry: ScatterGeometry { context.panes(state).panes[0].geometry }

  var plot: PlotScene? { context.plot(state) }

  var listRows: Int {
    if state.panel == .findings { return context.findingsLayout(state).rows }
    if state.panel == .targets {
      return ListModel.room(height: context.targetsLayout(state).targets, hasHeading: true)
    }
    return ListModel.room(height: context.panelFrame.height, hasHeading: state.panel.hasHeading)
  }

  mutating func say(_ text: String, _ role: Role = .accent) { effects.append(.say(text, role)) }

  // MARK: - Dashboard

  /// Quits, unless a box or the crosshair lies on top.
  private mutating func close() {
    let hasPointer = state.plot.box != nil || state.plot.holdsCrosshair
    if hasPointer, !context.hasNotice { dismiss() } else { effects.append(.host(.quit)) }
  }

  /// Ends one thing at a time, the one on top first.
  private mutating func dismiss() {
    if state.plot.box != nil {
      state.plot.box = nil
    } else if state.plot.holdsCrosshair {
      state.plot.toggleCrosshair(in: geometry)
    } else if state.plot.selection != nil {
      select(nil, by: nil)
    } else if state.tables.findings.chosen != nil {
      state.tables.findings = RowPosition()
    } else if state.lists.filter != nil {
      state.lists.setFilter(nil)
    } else if state.plot.view.isHeatMap {
      state.plot.view = .automatic
      say(state.plot.view.name)
    } else if state.plot.hasMultiples {
      toggleMultiples()
    } else if state.comparison != nil {
      compare()
    } else if state.replay != nil {
      toggleReplay()
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
}
