import Analysis
import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("The reducer, as a table")
struct ReducerTests {
  /// What the dashboard shows of the sample run in a terminal of 120×40.
  private static func context(
    _ snapshot: Snapshot = SampleRun().snapshot, _ change: (inout ScreenContext) -> Void = { _ in }
  ) -> ScreenContext {
    var context = ScreenContext(
      appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille),
      options: ScreenOptions(zone: .utc, place: .store("store.sqlite")))
    (context.latest, context.shown) = (snapshot, snapshot)
    context.plotFrame = CellRect(x0: 1, y0: 1, x1: 119, y1: 20)
    context.panelFrame = CellRect(x0: 1, y0: 20, x1: 119, y1: 39)
    context.listed = ListedRows(snapshot, runs: snapshot.runs)
    let state = ViewState()
    context.content = PlotContent(
      snapshot: snapshot, state: state, columns: context.panes(state).columns, previous: nil, at: .zero)
    if let content = context.content {
      let order = FiguresOrder(places: [FiguresOrder.Place(content.window, targets: content.targets)])
      _ = context.content?.set(WindowFigures.taken(order, of: snapshot), in: snapshot)
    }
    change(&context)
    return context
  }

  private static func two() -> Snapshot { SampleRun(targets: ["loopback", "ios"]).snapshot }

  private static func state(_ change: (inout ViewState) -> Void) -> ViewState {
    var state = ViewState()
    change(&state)
    return state
  }

  /// A state, a command, and what follows from it.
  struct Row: Sendable, CustomTestStringConvertible {
    let command: Command
    var before = ViewState()
    var context = ReducerTests.context()
    /// Changes `before` to the state expected.
    var after: @Sendable (inout ViewState) -> Void = { _ in }
    var effects: [ScreenEffect] = []

    var testDescription: String { "\(command)" }
  }

  static let held = state {
    $0.plot.holdsCrosshair = true
    $0.plot.crosshair = PlotPosition(pane: 0, column: 50, y: 9)
  }
  static let selection: Selection = {
    var selection = Selection(label: "these")
    selection.add(1, of: TargetID(rawValue: 1))
    return selection
  }()
  static let replaying = state {
    $0.replay = Replay(at: SampleRun.start.advanced(byMicroseconds: 30_000_000))
  }
  static let runs = state { $0.panel = .runs }
  static let listed = context(RunsPanelTests.snapshot(4))

  static let dashboard: [Row] = [
    Row(command: .quit, effects: [.host(.quit)]), Row(command: .redraw, effects: [.host(.redraw)]),
    Row(command: .quit, before: held, effects: [.host(.quit)]),
    // Box and crosshair are ended first, where they can be seen.
    Row(command: .close, effects: [.host(.quit)]),
    Row(
      command: .close, before: held,
      after: {
        $0.plot.holdsCrosshair = false
        $0.plot.crosshair = nil
      }),
    Row(
      command: .close,
      before: state {
        $0.plot = held.plot
        $0.plot.box = PlotBox(at: PlotPosition(pane: 0, column: 50, y: 9))
      }, after: { $0.plot.box = nil }),
    Row(
      command: .close, before: held, context: context { $0.hasNotice = true }, effects: [.host(.quit)]),
    Row(command: .suspend, effects: [.host(.suspend)]), Row(command: .help, effects: [.toggleHelp]),
    Row(
      command: .releaseMouse, after: { $0.releasesMouse = true },
      effects: [.say("the terminal has the mouse", .accent), .host(.releaseMouse(true))]),
    Row(
      command: .releaseMouse, before: state { $0.releasesMouse = true }, after: { $0.releasesMouse = false },
      effects: [.say("the dashboard has the mouse", .accent), .host(.releaseMouse(false))]),
    Row(command: .palette, effects: [.open(CommandPalette())]),
    Row(command: .exportView, effects: [.open(ExportChooser())]),
    Row(
      command: .nextTheme, effects: [.setTheme(Theme.all[1]), .say("theme \(Theme.all[1].name)", .accent)]),
    Row(command: .nextMotion, effects: [.setMotion(.basic), .say("basic motion", .accent)]),
    Row(
      command: .nextMotion, context: context { $0.motion = .none },
      effects: [.setMotion(.full), .say("full motion", .accent)]),
  ]

  static let panels: [Row] = [
    Row(command: .showPanel(.log), after: { $0.panel = .log }, effects: [.slide(to: .log)]),
    Row(command: .showPanel(.histogram)),
    Row(command: .nextPanel, after: { $0.panel = .log }, effects: [.slide(to: .log)]),
    Row(command: .previousPanel, after: { $0.panel = .findings }, effects: [.slide(to: .findings)]),
    Row(
      command: .toggleSlides, after: { $0.slides = .vertical },
      effects: [.say("panels slide up and down", .accent)]),
    Row(
      command: .rotate, after: { $0.arrangement = .beside }, effects: [.say("panel beside the plot", .accent)]
    ),
    Row(
      command: .rotate, context: context { $0.arrangement = .beside }, after: { $0.arrangement = .below },
      effects: [.say("panel below the plot", .accent)]),
    Row(command: .scroll(rows: 3)), Row(command: .page(1)),
    Row(
      command: .scrollToStart, before: state { $0.panel = .log }, after: { $0.lists.log = .at(.first) }),
    Row(
      command: .scrollToEnd,
      before: state {
        $0.panel = .log
        $0.lists.log = .at(.first)
      }, after: { $0.lists.log = .end }),
    Row(
      command: .filter, after: { $0.panel = .log },
      effects: [
        .slide(to: .log),
        .open(Prompt.filter("")),
      ]),
    Row(
      command: .dismiss, before: state { $0.lists.setFilter(ListFilter("goaway")) },
      after: { $0.lists.setFilter(nil) }),
    Row(
      command: .dismiss,
      before: state {
        $0.lists.setFilter(ListFilter("goaway"))
        $0.lists.showsAll = true
      },
      after: {
        $0.lists.setFilter(nil)
        $0.lists.showsAll = false
      }),
    // The lists keep their places while they are filtered, and come back from wherever they were moved to.
    Row(
      command: .typed(.filter("goaway")),
      before: state {
        $0.panel = .log
        $0.lists.log = .at(40)
      },
      after: {
        $0.lists.setFilter(ListFilter("goaway"))
        $0.lists.log = .at(40)
      }),
    Row(
      command: .dismiss,
      before: state {
        $0.lists.log = .at(40)
        $0.lists.setFilter(ListFilter("goaway"))
        $0.lists.log = .at(10)
      }, after: { $0.lists = state { $0.lists.log = .at(40) }.lists }),
    // Another filter filters, whatever was listed before.
    Row(
      command: .typed(.filter("429")),
      before: state {
        $0.panel = .log
        $0.lists.setFilter(ListFilter("goaway"))
        $0.lists.showsAll = true
      },
      after: {
        $0.lists.setFilter(ListFilter("429"))
        $0.lists.showsAll = false
      }),
  ]

  static let runCommands: [Row] = [
    Row(command: .mark, effects: [.say("runs are marked in their panel", .warning)]),
    Row(command: .rename, effects: [.say("runs are renamed in their panel", .warning)]),
    Row(command: .delete, effects: [.say("runs are deleted in their panel", .warning)]),
    Row(command: .choose),
    Row(
      command: .mark, before: runs, context: listed,
      after: { $0.runs.marked = [listed.latest.runs[0].id] },
      effects: [.say("\(listed.latest.runs[0].title) is marked", .accent)]),
    Row(
      command: .mark,
      before: state {
        $0.panel = .runs
        $0.runs.marked = [listed.latest.runs[0].id]
      }, context: listed, after: { $0.runs.marked = [] },
      effects: [.say("\(listed.latest.runs[0].title) is no longer marked", .accent)]),
    Row(
      command: .choose, before: state { $0.panel = .findings },
      effects: [.say("there is no finding to go to", .accent)]),
    Row(
      command: .zoomToBox,
      effects: [.say("nothing is selected: click or drag in the plot, or press i, then Enter", .accent)]),
    Row(
      command: .choose, before: runs, context: listed, after: { $0.subject = Subject() }, effects: [.adopt]),
    // Enter is for the chosen row unless something is selected.
    Row(command: .list, before: runs, context: listed, after: { $0.subject = Subject() }, effects: [.adopt]),
    Row(
      command: .list,
      before: state {
        $0.panel = .runs
        $0.plot.selection = selection
      }, context: listed, effects: [.open(SelectionList())]),
    Row(
      command: .choose,
      before: state {
        $0.panel = .runs
        $0.runs.chosen = listed.latest.runs[2].id
        $0.frozenAt = SampleRun.start
      }, context: listed,
      after: {
        $0.subject.run = listed.latest.runs[2].id
        $0.frozenAt = nil
      }, effects: [.say("opening \(listed.latest.runs[2].title)", .accent), .adopt]),
    Row(
      command: .compare,
      effects: [
        .say("mark two runs in their panel to compare them, or look at a run with two targets", .warning)
      ]),
    Row(command: .compare, context: context(two()), after: { $0.comparison = .targets(0, 1) }),
    Row(
      command: .nextTarget, before: state { $0.comparison = .targets(0, 1) }, context: context(two()),
      effects: [.say("the run has no other target to compare with", .accent)]),
    Row(
      command: .compare, before: state { $0.comparison = .targets(0, 1) }, context: context(two()),
      after: { $0.comparison = nil }, effects: [.say("the comparison is over", .accent)]),
    Row(
      command: .compare,
      before: state { $0.runs.marked = [listed.latest.runs[0].id, listed.latest.runs[1].id] },
      context: listed,
      after: {
        $0.comparison = .run(listed.latest.runs[1].id)
        $0.openingComparison = listed.latest.runs[0].id
      }),
    Row(
      command: .startStop,
      effects: [
        .show(
          FooterMessage(
            text: "no collector is running; start one: pushscope collect --store store.sqlite",
            role: .warning))
      ]),
  ]

  static let time: [Row] = [
    Row(
      command: .follow, before: state { $0.anchor = .at(SampleRun.start) }, after: { $0.anchor = .edge },
      effects: [.adopt]),
    Row(
      command: .follow, before: state { $0.subject.run = RunsPanelTests.id(3) },
      after: { $0.subject.run = nil }, effects: [.adopt]),
    Row(
      command: .follow,
      before: state {
        $0.subject.run = RunsPanelTests.id(3)
        $0.frozenAt = SampleRun.start
      }, after: { $0.frozenAt = nil }, effects: [.adopt]),
    Row(command: .freeze, after: { $0.frozenAt = context().shown.edge }, effects: [.hold]),
    Row(
      command: .freeze, before: state { $0.frozenAt = SampleRun.start }, after: { $0.frozenAt = nil },
      effects: [.adopt]),
    Row(command: .freeze, before: replaying, after: { $0.replay?.isPaused = true }),
    Row(
      command: .replay, before: replaying, after: { $0.replay = nil },
      effects: [.say("the replay is over", .accent), .adopt]),
    Row(command: .faster, effects: [.say("nothing is being replayed", .warning)]),
    Row(command: .faster, before: replaying, after: { $0.replay?.accelerate(by: 1) }),
    Row(command: .slower, before: replaying),
    Row(
      command: .pan(eighths: -100), before: replaying, after: { $0.replay?.position = SampleRun.start },
      effects: [.adopt]),
    Row(command: .zoomIn, after: { $0.scale = context().content?.window.scale.finer }),
    Row(command: .zoomOut, after: { $0.scale = context().content?.window.scale.coarser }),
    Row(
      command: .goTo, effects: [.open(Prompt(.goTo, title: "go to", hint: TimeInput.hint))]),
  ]

  private static let away = state {
    $0.anchor = .at(SampleRun.start)
    $0.target = 1
    $0.range = .capped
  }

  static let views: [Row] = [
    Row(command: .back, effects: [.say("there is no view before this one", .accent)]),
    Row(
      command: .back, context: context { $0.previous = ViewPlace(away) },
      after: {
        $0.anchor = .at(SampleRun.start)
        $0.target = 1
        $0.range = .capped
      }, effects: [.wentBack, .adopt]),
    // A comparison is a view of its own.
    Row(
      command: .back, before: state { $0.comparison = .targets(0, 1) },
      context: context { $0.previous = ViewPlace(state { $0.panel = .log }) },
      after: { $0.comparison = nil }, effects: [.wentBack, .adopt]),
    Row(
      command: .fitRun, before: away,
      after: { $0.anchor = .stretch(from: SampleRun.start, length: .seconds(110)) },
      effects: [.adopt, .say("all of the run", .accent)]),
    Row(
      command: .fold, after: { $0.lists.unfolds = true }, effects: [.say("every line by itself", .accent)]),
    Row(
      command: .onlyHits, before: state { $0.lists.setFilter(ListFilter("goaway")) },
      after: { $0.lists.showsAll = true }, effects: [.say("all lines; n goes to the next hit", .accent)]),
    Row(
      command: .onlyHits, effects: [.say("no words are looked for; / asks for some", .warning)]),
    Row(command: .nextHit, effects: [.say("no words are looked for; / asks for some", .warning)]),
    Row(
      command: .sort, before: state { $0.panel = .targets }, after: { $0.tables.order[.targets] = "target" },
      effects: [.say("by target", .accent)]),
    Row(
      command: .sort,
      before: state {
        $0.panel = .targets
        $0.tables.order[.targets] = "last event"
      }, after: { $0.tables.order[.targets] = nil }, effects: [.say("in their own order", .accent)]),
    Row(
      command: .sort, effects: [.say("lists can be put in order", .warning)]),
    Row(
      command: .columns, before: state { $0.panel = .findings },
      effects: [.open(ColumnChooser())]),
    Row(
      command: .columns, effects: [.say("columns are chosen of lists", .warning)]),
    Row(command: .wholeLine, effects: [.say("lines are opened in log and events", .warning)]),
    Row(
      command: .copy, effects: [.say("open a notification or choose a line to copy it", .warning)]),
    Row(
      command: .annotate,
      effects: [
        .open(
          Prompt(
            .annotate(context().shown.edge), title: "note at 2025-06-15 14:03:50 UTC",
            hint: "what happened then, like deploy 412"))
      ]),
    Row(command: .halfPage(-1)),
    Row(
      command: .typed(.threshold(800_000)), after: { $0.plot.threshold = 800_000 },
      effects: [.say("threshold line at 800 ms", .accent)]),
    Row(
      command: .typed(.threshold(nil)), before: state { $0.plot.threshold = 5 },
      after: { $0.plot.threshold = nil }, effects: [.say("no threshold line", .accent)]),
    Row(
      command: .typed(.theme("light")), effects: [.setTheme(.light), .say("theme light", .accent)]),
    Row(
      command: .typed(.target(1)), context: context(two()), after: { $0.target = 1 },
      effects: [.say("ios alone", .accent)]),
    Row(
      command: .typed(.filter("goaway")),
      after: {
        $0.panel = .log
        $0.lists.setFilter(ListFilter("goaway"))
      }, effects: [.slide(to: .log)]),
  ]

  static let plot: [Row] = [
    Row(
      command: .toggleScale, after: { $0.axisKind = .linear }, effects: [.say("linear axis", .accent)]),
    Row(
      command: .toggleRange, after: { $0.range = .capped }, effects: [.say("the axis ends at p99", .accent)]),
    Row(
      command: .toggleRange, before: state { $0.range = .fixed(lower: 1, upper: 2) },
      after: { $0.range = .automatic }, effects: [.say("the axis fits all latencies", .accent)]),
    Row(
      command: .nextMetric, before: state { $0.metric = .accept }, after: { $0.metric = .service },
      effects: [.say(Metric.service.title, .accent)]),
    Row(command: .nextTarget, effects: [.say("the run has one target", .accent)]),
    Row(
      command: .nextTarget, context: context(two()), after: { $0.target = 0 },
      effects: [.say("loopback alone", .accent)]),
    Row(
      command: .nextTarget, before: state { $0.target = 1 }, context: context(two()),
      after: { $0.target = nil }, effects: [.say("all targets", .accent)]),
    Row(
      command: .nextAverages, after: { $0.plot.averages = .median },
      effects: [.say("running median", .accent)]),
    Row(
      command: .nextColoring, after: { $0.plot.coloring = .state },
      effects: [.say("colors by state", .accent)]),
    Row(
      command: .nextColoring, before: state { $0.plot.coloring = .state },
      after: { $0.plot.coloring = .target },
      effects: [.say("colors by target", .accent)]),
    Row(
      command: .nextColoring,
      before: state {
        $0.plot.coloring = .key(.hour)
        $0.plot.coloring = .state
      }, after: { $0.plot.coloring = .key(.hour) }, effects: [.say("colors by hour", .accent)]),
    Row(
      command: .typed(.color(.key(.hour))), after: { $0.plot.coloring = .key(.hour) },
      effects: [.say("colors by hour", .accent)]),
    Row(
      command: .nextArrangement, after: { $0.plot.arrangement = .overlaid },
      effects: [.say("two values in one plot", .accent)]),
    Row(
      command: .nextBuckets, after: { $0.plot.buckets = .seconds },
      effects: [.say("buckets of seconds", .accent)]),
    Row(
      command: .nextDragAction, after: { $0.plot.dragAction = .zoom },
      effects: [.say("dragging in the plot zooms to a box", .accent)]),
    Row(
      command: .toggleThreshold, before: state { $0.plot.threshold = 5 }, after: { $0.plot.threshold = nil },
      effects: [.say("no threshold line", .accent)]),
    Row(command: .raiseThreshold, effects: [.say("no threshold line", .accent)]),
    Row(
      command: .raiseThreshold, before: state { $0.plot.threshold = 1_000 },
      after: { $0.plot.threshold = LatencyAxis.niceAbove(1_000) },
      effects: [.say("threshold line at \(LatencyText.text(LatencyAxis.niceAbove(1_000)))", .accent)]),
    Row(
      command: .toggleCrosshair,
      after: {
        $0.plot.holdsCrosshair = true
        let geometry = context().panes($0).panes[0].geometry
        $0.plot.crosshair = PlotPosition(
          pane: 0, column: geometry.columns / 2, y: geometry.firstRow + geometry.rows / 2)
      }),
    Row(
      command: .toggleCrosshair, before: held,
      after: {
        $0.plot.holdsCrosshair = false
        $0.plot.crosshair = nil
      }),
    // The arrow keys are the crosshair's, unless something lies on top.
    Row(command: .pan(eighths: 1), before: held, after: { $0.plot.crosshair?.column = 51 }),
    Row(command: .pan(eighths: -4), before: held, after: { $0.plot.crosshair?.column = 42 }),
    Row(command: .scroll(rows: 1), before: held, after: { $0.plot.crosshair?.y = 10 }),
    Row(command: .panUp, before: held, after: { $0.plot.crosshair?.y = 5 }),
    Row(command: .scroll(rows: 1), before: held, context: context { $0.isCovered = true }),
    Row(
      command: .beginBox, before: held,
      after: { $0.plot.box = PlotBox(at: PlotPosition(pane: 0, column: 50, y: 9)) }),
    Row(
      command: .exportSelection,
      effects: [.say("nothing is selected: click or drag in the plot, or press i, then Enter", .accent)]),
    Row(
      command: .list,
      effects: [.say("nothing is selected: click or drag in the plot, or press i, then Enter", .accent)]),
  ]

  @Test(
    "state and command give the next state and effects",
    arguments: dashboard + panels + runCommands + time + views + plot)
  func table(_ row: Row) {
    var expected = row.before
    row.after(&expected)
    let (state, effects) = Reducer.reduce(row.before, .command(row.command), in: row.context)
    #expect(state == expected)
    #expect(effects == row.effects)
  }

  @Test(
    "behind a notice only what concerns the dashboard itself is done", arguments: KeyTable.standard.bindings)
  func notice(_ binding: KeyBinding) {
    let context = Self.context { $0.hasNotice = true }
    let (state, effects) = Reducer.reduce(ViewState(), .command(binding.command), in: context)
    #expect(binding.command.worksBehindNotice || state == ViewState() && effects.isEmpty)
  }

  @Test(
    "every command of the table of keys is carried out by some part", arguments: KeyTable.standard.bindings)
  func everyCommand(_ binding: KeyBinding) {
    // A command that no part knows fails an assertion.
    for state in [ViewState(), Self.held, Self.runs, Self.replaying] {
      _ = Reducer.reduce(state, .command(binding.command), in: Self.listed)
    }
  }

  @Test("the plot's state carries out its own commands, and no others")
  func plotState() {
    var plot = PlotState()
    plot.threshold = 1_000_000
    #expect(plot.reduce(.nextBuckets) == "buckets of seconds" && plot.buckets == .seconds)
    #expect(plot.reduce(.nextDragAction) == "dragging in the plot zooms to a box" && plot.dragAction == .zoom)
    #expect(plot.reduce(.lowerThreshold) == "threshold line at 500 ms")
    let before = plot
    #expect(plot.reduce(.quit) == nil && plot.reduce(.toggleScale) == nil && plot == before)
  }

  @Test("Escape ends box, crosshair, selection, finding, filter and how the plot is drawn, one at a time")
  func dismiss() {
    let context = Self.context(Self.two())
    var state = Self.held
    state.plot.box = state.plot.crosshair.map(PlotBox.init(at:))
    state.plot.selection = Self.selection
    state.tables.findings = RowPosition(chosen: "aaaaaaaa")
    state.lists.setFilter(ListFilter("goaway"))
    (state.plot.view, state.plot.hasMultiples) = (.minutes, true)
    (state.comparison, state.replay) = (.targets(0, 1), Self.replaying.replay)
    func left(_ state: ViewState) -> [Bool] {
      [
        state.plot.box != nil, state.plot.holdsCrosshair, state.plot.selection != nil,
        state.tables.findings.chosen != nil, state.lists.filter != nil, state.plot.view == .minutes,
        state.plot.hasMultiples, state.comparison != nil, state.replay != nil,
      ]
    }
    for count in 1...9 {
      state = Reducer.reduce(state, .command(.dismiss), in: context).state
      #expect(left(state) == (0..<9).map { $0 >= count })
    }
    let (last, effects) = Reducer.reduce(state, .command(.dismiss), in: context)
    #expect(last == state && effects.isEmpty)
  }

  @Test("what is typed goes to a moment, filters, or becomes a request to the collector")
  func answers() {
    let context = Self.context()
    func answer(_ purpose: Prompt.Purpose, _ text: String) -> (state: ViewState, effects: [ScreenEffect]) {
      Reducer.reduce(ViewState(), .answer(Prompt(purpose, title: "", hint: ""), text), in: context)
    }
    guard case .at = answer(.goTo, "start").state.anchor else {
      Issue.record("the window did not move")
      return
    }
    let refused = answer(.goTo, "yesterday")
    guard refused.state == ViewState(), case .open(let overlay) = refused.effects.first,
      let prompt = overlay.base as? Prompt
    else {
      Issue.record("\(refused.effects)")
      return
    }
    #expect(prompt.problem?.isEmpty == false)
    #expect(answer(.filter, "goaway").state.lists.filter == ListFilter("goaway"))
    let run = RunsPanelTests.id(1)
    #expect(answer(.rename(run), "").effects.last == .host(.control(.rename(run, name: nil))))
    #expect(answer(.startRun, "nightly").effects.last == .host(.control(.start(name: "nightly"))))
    #expect(Reducer.reduce(ViewState(), .confirm(.stop), in: context).effects.last == .host(.control(.stop)))
  }

  @Test("a deleted run is forgotten")
  func deleted() {
    let run = RunsPanelTests.id(2)
    let before = Self.state {
      $0.subject.run = run
      $0.runs.marked = [run]
      $0.comparison = .run(run)
    }
    let report = ControlReport(command: .delete(run), result: .done)
    let (state, effects) = Reducer.reduce(before, .report(report), in: Self.context())
    #expect(state == ViewState() && effects == [.say("the run is deleted", .accent)])
    let refusal = ControlReport(command: .delete(run), result: .refused("it is being recorded"))
    let refused = Reducer.reduce(before, .report(refusal), in: Self.context())
    #expect(refused.state == before && refused.effects == [.say("it is being recorded", .warning)])
  }
}
