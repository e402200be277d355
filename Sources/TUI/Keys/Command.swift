/// What a key asks for. `KeyTable` binds commands to keys, the palette lists them, and the `Reducer` carries them out.
enum Command: Sendable, Hashable {
  // MARK: Dashboard

  case quit
  /// Ends box and crosshair, one a press; without them it quits.
  case close
  case redraw
  case suspend
  case releaseMouse
  case help
  /// Finds commands by their names.
  case palette
  /// A command with an argument, from the palette.
  case typed(TypedCommand)
  /// Closes what lies on top; with nothing on top it ends box, crosshair, selection, finding, filter, heat map, multiples,
  /// comparison and replay, one a press.
  case dismiss
  case nextTheme
  case nextMotion
  /// What drawing costs, in the last line.
  case toggleFrameCost
  /// Asks to start a run, or to stop the one that is being recorded.
  case startStop

  // MARK: Panels

  case showPanel(Panel)
  case nextPanel
  case previousPanel
  /// Panels slide sideways or up and down.
  case toggleSlides
  /// Plot and panel side by side, or one above the other.
  case rotate
  /// Rows in the panel, down when positive.
  case scroll(rows: Int)
  case page(Int)
  case halfPage(Int)
  case scrollToStart
  case scrollToEnd
  /// Filters log and events by words.
  case filter
  /// The next line with the words of the filter, or the one before.
  case nextHit
  case previousHit
  /// Lists all lines, or only those with the words of the filter.
  case onlyHits
  /// Opens the chosen line in full.
  case wholeLine
  /// Lists lines of one kind one by one, or as one.
  case fold
  /// Orders the table by its next column.
  case sort
  /// Chooses the columns of the table.
  case columns

  // MARK: Runs

  /// Opens the chosen run, shows the chosen target alone, or goes to the chosen finding.
  case choose
  /// Marks a run for comparison; takes a target out of the plot, or puts it back.
  case mark
  case rename
  case delete
  case compare

  // MARK: Time

  /// Pans by eighths of the window; negative is back in time.
  case pan(eighths: Int)
  case zoomIn
  case zoomOut
  case follow
  /// All of the run.
  case fitRun
  /// The view that was left last.
  case back
  case freeze
  case goTo
  /// Asks for a word about an instant.
  case annotate
  case replay
  case faster
  case slower

  // MARK: Plot

  case toggleScale
  case toggleRange
  case nextMetric
  case nextTarget
  case nextAverages
  case nextColoring
  case nextArrangement
  case nextBuckets
  /// Dots, percentiles, or what fits.
  case nextMarks
  case nextHeatMap
  /// A pane for each target, or one for all.
  case toggleMultiples
  /// A line at the crosshair, else at the 99th percentile; removes the line where there is one.
  case toggleThreshold
  case lowerThreshold
  case raiseThreshold
  case zoomInLatency
  case zoomOutLatency
  case panUp
  case panDown

  // MARK: Selection

  /// A crosshair that the arrow keys move, or none.
  case toggleCrosshair
  case previousNotification
  case nextNotification
  /// Begins a box at the crosshair, or cancels it.
  case beginBox
  /// Zooms to the box, else to the selection.
  case zoomToBox
  case nextDragAction
  /// Selects the bucket, log line or event before the chosen one.
  case choosePrevious
  case chooseNext
  /// Lists the selected notifications; with a box or a crosshair and no selection it selects first. Without any of these, in
  /// a table it is ``choose``.
  case list
  case exportSelection
  case exportView
  /// Copies the opened notification or the chosen line.
  case copy

  /// Whether the command works while a notice covers the dashboard.
  var worksBehindNotice: Bool {
    switch self {
    case .quit, .close, .redraw, .suspend, .releaseMouse, .help, .palette, .dismiss, .nextTheme, .nextMotion,
      .toggleFrameCost, .startStop:
      true
    default: false
    }
  }

  /// What a collector is asked for, as an answer to who cannot ask it; `nil` for what concerns the screen only.
  var changesAtCollector: String? {
    switch self {
    case .startStop: "runs are started and stopped at their collectors"
    case .rename: "runs are named at their collectors"
    case .delete: "runs are deleted at their collectors, and then here"
    case .annotate: "pushscope annotate writes to a collector's store, which forwards it"
    default: nil
    }
  }
}
