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
    let columns = geometry.columns
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

    case .showPanel(let panel): slide(to: panel)
    case .nextPanel: slide(to: context.activePanel.next)
    case .previousPanel: slide(to: context.activePanel.previous)
    case .toggleSlides:
      state.slides = state.slides == .horizontal ? .vertical : .horizontal
      say(state.slides == .horizontal ? "panels slide sideways" : "panels slide up and down")
    case .rotate:
      state.arrangement = context.arrangement.other
      say(state.arrangement == .beside ? "panel beside the plot" : "panel below the plot")
    case .scroll(let rows) where crosshairTakesArrows: moveCrosshair(columns: 0, rows: rows)
    case .scroll(let rows): scroll(by: rows)
    case .page(let pages): scroll(by: pages * max(1, listRows - 1))
    case .halfPage(let halves): scroll(by: halves * max(1, listRows / 2))
    case .scrollToStart: scroll(by: -ViewState.toEnd)
    case .scrollToEnd: scroll(by: ViewState.toEnd)
    case .filter: askFilter()
    case .nextHit: nextHit(forward: true)
    case .previousHit: nextHit(forward: false)
    case .onlyHits: toggleHits()
    case .wholeLine: openLine()
    case .fold:
      state.lists.unfolds.toggle()
      say(state.lists.unfolds ? "every line by itself" : "floods of one kind are one line")
    case .sort: sort()
    case .columns: chooseColumns()

    case .choose: choose()
    case .mark: mark()
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
    case .fitRun: fitRun()
    case .back: goBack()
    case .freeze: freezeOrGoOn()
    case .goTo: effects.append(.open(Prompt(.goTo, title: "go to", hint: TimeInput.hint)))
    case .annotate: askAnnotation()
    case .replay: toggleReplay()
    case .faster: changeSpeed(by: 1)
    case .slower: changeSpeed(by: -1)

    case .toggleScale:
      state.axisKind = state.axisKind == .linear ? .logarithmic : .linear
      say(state.axisKind == .linear ? "linear axis" : "logarithmic axis")
    case .toggleRange: nextRange()
    case .nextMetric:
      let metric = state.metric(in: shown).next
      state.metric = metric
      say(metric.title)
    case .nextTarget: nextTarget()
    case .nextAverages:
      state.plot.averages = state.plot.averages.next
      say(state.plot.averages.name)
    case .nextColoring:
      state.plot.coloring = state.plot.coloring.next
      say(state.plot.coloring.name)
    case .nextArrangement:
      state.plot.arrangement = state.plot.arrangement.next
      say(state.plot.arrangement.name)
    case .nextBuckets:
      state.plot.buckets = state.plot.buckets.next
      say(state.plot.buckets.name)
    case .nextMarks:
      state.plot.view = state.plot.view.nextMarks
      say(state.plot.view.name)
    case .nextHeatMap:
      state.plot.view = state.plot.view.nextHeatMap
      say(state.plot.view.name)
    case .toggleMultiples: toggleMultiples()
    case .toggleThreshold: toggleThreshold()
    case .lowerThreshold: moveThreshold(LatencyAxis.niceBelow)
    case .raiseThreshold: moveThreshold(LatencyAxis.niceAbove)
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
    case .exportView: effects.append(.open(ExportChooser()))
    case .copy: copy()
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
    case .clickRow(let row): clickRow(row)
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
      sayThreshold()
    case .theme(let name):
      guard let theme = context.options.themes.first(where: { $0.name == name }) else { return }
      effects.append(.setTheme(theme))
      say("theme \(theme.name)")
    case .target(let index):
      state.target = index
      if index == nil { state.tables.hiddenTargets = [] }
      sayTarget()
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
      toggleCrosshair()
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
