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
  /// Something has been read, which a search may have waited for.
  case read
}

/// What the mouse does, in cells of a plot or of the panel.
enum PointerAction: Sendable, Hashable {
  /// The pointer is over this cell of the plot, or elsewhere.
  case hover(PlotPosition?)
  case beginDrag(DragAction, at: PlotPosition)
  case drag(DragAction, from: PlotPosition, to: PlotPosition)
  /// The button was released; without a movement the drag is a click.
  case endDrag(DragAction, at: PlotPosition, hasMoved: Bool)
  /// Zooms about a fraction of the window: 0 is the left edge.
  case zoomTime(isCloser: Bool, about: Double)
  /// Zooms about a fraction of the axis: 0 is the lower edge. A factor below 1 shows less.
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
  case open(AnyOverlay)
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

  static func open(_ overlay: some Overlay) -> ScreenEffect { .open(AnyOverlay(overlay)) }
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
