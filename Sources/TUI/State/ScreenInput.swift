import ConstraintAnimation
import Measurement
import Store

/// Whatever may change the state of the dashboard, except new snapshots.
enum ScreenInput: Sendable {
  case command(Command)
  case pointer(PointerAction)
  /// A prompt and the text that was entered.
  case answer(Prompt, String)
  /// A question was answered with yes.
  case confirm(ControlCommand)
  case report(ControlReport)
  /// A column of the table was shown or hidden.
  case toggleColumn(String)
}

/// What the mouse does, in cells of a plot or of the panel.
enum PointerAction: Sendable, Hashable {
  /// The pointer is over this cell of the plot, or elsewhere.
  case hover(PlotPosition?)
  case beginDrag(DragAction, at: PlotPosition)
  case drag(DragAction, from: PlotPosition, to: PlotPosition)
  /// The button was released; without a movement the drag is a click.
  case endDrag(DragAction, at: PlotPosition, hasMoved: Bool)
  /// About a fraction of the window: 0 is the left edge.
  case zoomTime(isCloser: Bool, about: Double)
  /// About a fraction of the axis: 0 is the lower edge. A factor below 1 shows less.
  case zoomLatency(factor: Double, about: Double)
  /// The wheel over the panel; rows, down when positive.
  case scrollPanel(rows: Int)
  /// A click on a cell of the panel.
  case clickPanel(x: Int, y: Int)
  /// A click on a row of a table, counted from the top of the panel.
  case clickRow(Int)
}

/// What an input asks of the screen besides a new state.
enum ScreenEffect: Sendable, Equatable {
  case host(HostEffect)
  /// Shows a message for a few seconds.
  case say(String, Role)
  /// Shows a message until the next key; `nil` removes the one that is shown.
  case show(FooterMessage?)
  case open(Overlay)
  case toggleHelp
  case slide(to: Panel)
  case setTheme(Theme)
  case setMotion(MotionLevel)
  /// Shows the newest snapshot, or what the replay knows of it.
  case adopt
  /// Keeps the snapshot on display.
  case hold
  /// The state is that of the view before.
  case wentBack
}

/// What the dashboard asks of the owner of the terminal.
enum HostEffect: Sendable, Equatable {
  case quit
  case redraw
  case suspend
  case releaseMouse(Bool)
  /// Send it to the collector.
  case control(ControlCommand)
  /// Write rows of the table `samples` to a file.
  case exportSamples([SampleID])
  /// Write what is on the screen to a file.
  case exportView(ViewFormat)
  /// Put a text on the clipboard of the terminal.
  case copy(String)
}

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
  /// µs after which the same data look different, because the edge of time has moved by a column.
  var tick: Int64
  /// Where the window itself begins; `nil` when it is all that is asked for.
  var start: WallTime?
  /// What is read is shown as it was known at a moment of the past.
  var isReplay = false

  /// Where the window itself ends; `nil` when it is all that is asked for.
  var windowEnd: WallTime? {
    guard let start, from < start else { return nil }
    return start.advanced(byMicroseconds: start.microseconds - from.microseconds)
  }

  /// Where one window ends and another begins, up to and with `end`; ascending. All windows are as long as the one before.
  func edges(to end: WallTime) -> [WallTime] {
    guard let start, let windowEnd else { return [end] }
    return [start, windowEnd].filter { $0 < end } + [end]
  }
}

extension ReadRequest {
  /// The window and the one before.
  init(_ window: TimeWindow, to end: WallTime?, isReplay: Bool = false) {
    self.init(
      from: window.previous.start, to: end, tick: window.scale.columnDuration, start: window.start,
      isReplay: isReplay)
  }
}
