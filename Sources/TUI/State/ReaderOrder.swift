import Analysis
import Measurement
import Store

/// What the reader is to read.
struct ReaderOrder: Sendable, Equatable {
  /// A second run beside the first.
  struct Second: Sendable, Equatable {
    var run: RunID
    var request: ReadRequest?
    var figures: FiguresOrder?
  }

  var subject = Subject()
  var request: ReadRequest?
  /// The key that plots are colored by; `nil` for none.
  var key: BreakdownKey?
  /// The list of all runs is on the screen.
  var wantsRuns = false
  /// Which parts of log and events.
  var lists = ListsPlace()
  var panels = PanelOrder()
  var second: Second?
  /// `nil` while the hours of the run are not on display.
  var calendar: CalendarOrder?
  /// `nil` while no plot is shown.
  var figures: FiguresOrder?
}

/// The notifications that the picture needs.
struct ReadRequest: Sendable, Equatable {
  /// The start of the window before, which the histogram draws as a ghost.
  var from: WallTime
  /// `nil` follows the newest.
  var to: WallTime?
  /// Time after which the same data look different, because the edge of time has moved by a column.
  var tick: Duration
  /// Where the window itself begins; `nil` when it is all that is asked for.
  var start: WallTime?
  /// What is read is shown as it was known at a moment of the past.
  var isReplay = false

  /// Where the window itself ends; `nil` when it is all that is asked for.
  var windowEnd: WallTime? {
    guard let start, from < start else { return nil }
    return start + (start - from)
  }

  /// Where one window ends and another begins, up to and with `end`; ascending. All windows are as long as the one before.
  func edges(to end: WallTime) -> [WallTime] {
    guard let start, let windowEnd else { return [end] }
    return [start, windowEnd].filter { $0 < end } + [end]
  }
}

extension ReaderOrder {
  /// What a state needs of the store.
  init(_ state: ViewState, in context: ScreenContext) {
    self.init(
      subject: state.subject,
      request: ReadRequest(state, window: context.content?.window, condition: context.latest.condition))
    key = state.plot.coloring.key
    lists = ListsPlace(
      events: ListPlace(state.lists.events, state, in: context),
      log: ListPlace(state.lists.log, state, in: context))
    wantsRuns = context.latest.condition == .ready && (context.activePanel == .runs || context.isSliding)
    if context.showsTargets(context.activePanel), let window = context.content?.window {
      (panels.targetWindow, panels.targetMetric) = (window.start..<window.end, state.metric)
      if context.activePanel == .targets, let key {
        panels.values = ValueTableOrder(
          key: key, window: window.start..<window.end,
          targets: state.shownTargets(in: context.shown).map { context.shown.targets[$0].id })
      }
    }
    panels.wantsPower = context.activePanel == .findings
    panels.notification = context.overlay?.notification
    let plots = (own: [context.content].compactMap { $0 }, other: [context.otherContent].compactMap { $0 })
    if case .run(let run) = state.comparison {
      second = Second(
        run: run, request: plots.other.first.map { ReadRequest($0.window, to: $0.window.end) },
        figures: FiguresOrder(of: plots.other, state, in: context))
      figures = FiguresOrder(of: plots.own, state, in: context)
    } else {
      figures = FiguresOrder(of: plots.own + plots.other, state, in: context)
    }
    if state.plot.view == .hours, !context.hasNotice { calendar = context.plot(state)?.calendarOrder }
  }
}

extension FiguresOrder {
  /// The figures that plots need; `nil` without a plot.
  fileprivate init?(of plots: [PlotContent], _ state: ViewState, in context: ScreenContext) {
    guard !plots.isEmpty, !context.hasNotice else { return nil }
    var places = plots.map { Place($0.window, targets: $0.targets) }
    let alone = context.panes(state).panes.compactMap(\.target)
    if let window = context.content?.window, alone.count > 1 {
      places += alone.map { Place(window, targets: [$0]) }
    }
    self.init(places: places, threshold: state.plot.threshold)
    if let replay = state.replay {
      // Twice a second, so that not every frame asks for something else.
      moment = replay.position.floored(to: FigureReader.interval * replay.speed)
    }
  }
}

extension ListPlace {
  /// The part of log or events that a position shows.
  fileprivate init(_ position: ListPosition, _ state: ViewState, in context: ScreenContext) {
    switch position {
    case .at(let place): self = .around(place)
    case .end:
      guard let replay = state.replay else {
        self = context.windowEnd(state).map { ListPlace.until($0) } ?? .newest
        return
      }
      // Whole seconds, so that not every frame asks for something else.
      self = .until(replay.position.floored(to: .seconds(1)) + .seconds(1))
    }
  }
}

extension ReadRequest {
  /// What the picture of a state needs; `nil` while there is none.
  init?(_ state: ViewState, window: TimeWindow?, condition: StoreCondition) {
    guard let window, condition == .ready else { return nil }
    if state.replay != nil {
      // A window ahead, so that the replay does not wait for the reader.
      self.init(window, to: window.end + window.duration, isReplay: true)
    } else {
      self.init(window, to: state.anchor == .edge && !state.isFrozen ? nil : window.end)
    }
  }

  /// The window and the one before.
  init(_ window: TimeWindow, to end: WallTime?, isReplay: Bool = false) {
    self.init(
      from: window.previous.start, to: end, tick: window.scale.columnDuration, start: window.start,
      isReplay: isReplay)
  }
}
