import Configuration
import ConstraintAnimation

extension KeyTable {
  /// The keys unless the configuration changes them.
  static let standard = KeyTable(
    lines: panels + time + plots + selecting + lists + histogram + log + tables + program)

  private static let panels = [
    line(
      .panels, "show a panel", short: "panel",
      [
        (.histogram, .showPanel(.histogram), ["1"], "show the histogram"),
        (.log, .showPanel(.log), ["2"], "show the log"),
        (.events, .showPanel(.events), ["3"], "show the events"),
        (.runs, .showPanel(.runs), ["4"], "show the runs"),
        (.targets, .showPanel(.targets), ["5"], "show the targets"),
        (.findings, .showPanel(.findings), ["6"], "show the findings"),
      ]),
    line(
      .panels, "next (Shift: previous)", shown: 1,
      [
        (.nextPanel, .nextPanel, [KeyStroke(.tab)], "next panel"),
        (
          .previousPanel, .previousPanel, [KeyStroke(.backTab), KeyStroke(.tab, .shift)], "previous panel"
        ),
      ]),
    line(
      .panels, "beside the plot or below",
      [(.rotate, .rotate, ["o"], "put the panel beside the plot or below it")]),
    line(
      .panels, "slide sideways or vertically",
      [(.slideDirection, .toggleSlides, ["O"], "slide panels sideways or vertically")]),
  ]

  private static let time = [
    line(
      .time, "pan (Shift: further)", short: "pan", shown: 2,
      [
        (.panBack, .pan(eighths: -1), [KeyStroke(.left)], "back in time"),
        (.panForward, .pan(eighths: 1), [KeyStroke(.right)], "forward in time"),
        (.leapBack, .pan(eighths: -4), [KeyStroke(.left, .shift)], "back by half a window"),
        (.leapForward, .pan(eighths: 4), [KeyStroke(.right, .shift)], "forward by half a window"),
      ]),
    line(
      .time, "less, more time in view", short: "zoom",
      [
        (.zoomIn, .zoomIn, ["+", "="], "zoom in: less time in view"),
        (.zoomOut, .zoomOut, ["-", "_"], "zoom out: more time in view"),
      ]),
    line(.time, "follow the newest", short: "follow", [(.follow, .follow, ["f"], "follow the newest")]),
    line(.time, "all of the run", [(.fitRun, .fitRun, ["0"], "fit all of the run into the window")]),
    line(
      .time, "back to the view before",
      [(.back, .back, [KeyStroke(.backspace)], "back to the view before: zoom, place, selection")]),
    line(
      .time, "freeze; recording continues", short: "freeze",
      [(.freeze, .freeze, [" "], "freeze or go on; recording continues")]),
    line(.time, "go to a time", [(.goTo, .goTo, ["g"], "go to a time")]),
    line(
      .time, "note what happened",
      [(.annotate, .annotate, ["A"], "annotate: note what happened at an instant")]),
    line(.time, "replay the run", [(.replay, .replay, ["r"], "replay the run from here, or stop")]),
    line(
      .time, "replay slower, faster",
      [
        (.slower, .slower, ["("], "replay slower"), (.faster, .faster, [")"], "replay faster"),
      ]),
  ]

  private static let lists = [
    line(
      .lists, "one line",
      [
        (.lineUp, .scroll(rows: -1), [KeyStroke(.up), "k"], "one line up"),
        (.lineDown, .scroll(rows: 1), [KeyStroke(.down), "j"], "one line down"),
      ]),
    line(
      .lists, "one page",
      [
        (.pageUp, .page(-1), [KeyStroke(.pageUp)], "one page up"),
        (.pageDown, .page(1), [KeyStroke(.pageDown)], "one page down"),
      ]),
    line(
      .lists, "half a page",
      [
        (.halfPageUp, .halfPage(-1), [KeyStroke("u", .control)], "half a page up"),
        (.halfPageDown, .halfPage(1), [KeyStroke("d", .control)], "half a page down"),
      ]),
    line(
      .lists, "first, last line",
      [
        (.listStart, .scrollToStart, [KeyStroke(.home)], "first line of the list"),
        (.listEnd, .scrollToEnd, [KeyStroke(.end), "G"], "last line of the list"),
      ]),
    line(
      .lists, "order of a list",
      [(.sort, .sort, ["S"], "order of the list: by the next column, newest or oldest first")]),
    line(.lists, "columns of a list", [(.columns, .columns, ["C"], "choose the columns of the list")]),
  ]

  private static let histogram = [
    line(
      .histogram, "buckets: logarithmic, seconds",
      [(.buckets, .nextBuckets, ["b"], "buckets: logarithmic or seconds")]),
    KeyHelp(uses: [.chooseNext, .choosePrevious], group: .histogram, text: "select a bucket"),
  ]

  private static let log = [
    line(
      .log, "filter lines by words", short: "filter",
      [(.filter, .filter, ["/"], "filter the lines by words")]),
    line(
      .log, "next, previous hit",
      [
        (.nextHit, .nextHit, ["n"], "next line with the words"),
        (.previousHit, .previousHit, ["N"], "previous line with the words"),
      ]),
    line(.log, "only hits, or all lines", [(.onlyHits, .onlyHits, ["&"], "only hits, or all lines")]),
    line(.log, "the line in full", [(.wholeLine, .wholeLine, ["W"], "open the chosen line in full")]),
    line(
      .log, "fold floods, or list each",
      [(.fold, .fold, ["E"], "fold lines of one kind, or list each")]),
    KeyHelp(uses: [.chooseNext, .choosePrevious], group: .log, text: "select what a line is about"),
  ]

  private static let tables = [
    KeyHelp(uses: [.list], group: .runs, text: "open the chosen run"),
    KeyHelp(uses: [.freeze, .compare], group: .runs, text: "mark two runs, compare them"),
    line(
      .runs, "rename, delete a run",
      [
        (.rename, .rename, ["R"], "rename the run"),
        (.delete, .delete, [KeyStroke(.delete), "X"], "delete the run"),
      ]),
    KeyHelp(uses: [.list], group: .targets, text: "show the target alone, or all"),
    KeyHelp(uses: [.freeze], group: .targets, text: "leave it out of the plot, or not"),
    line(
      .targets, "the same in any panel's table",
      [(.mark, .mark, ["*"], "mark a run to compare; leave a target out of the plot")]),
    KeyHelp(uses: [.list], group: .findings, text: "go to where it happened"),
  ]

  private static let program = [
    line(
      .program, "start or stop a run", [(.startStop, .startStop, ["s"], "start or stop a run")]),
    line(
      .program, "find a command", shown: 1,
      [(.palette, .palette, [":", KeyStroke("p", .control)], "find a command by its name")]),
    line(.program, "this help", short: "help", [(.help, .help, ["?", "h"], "all keys")]),
    line(.program, "next theme", [(.theme, .nextTheme, ["P"], "next theme")]),
    line(
      .program, "full, basic or no motion", [(.motion, .nextMotion, ["w"], "full, basic or no motion")]),
    line(
      .program, "cost of a frame, on or off",
      [(.frameCost, .toggleFrameCost, ["F"], "show or hide the cost of a frame")]),
    line(
      .program, "release the mouse",
      [(.releaseMouse, .releaseMouse, ["m"], "release the mouse to the terminal, or take it back")]),
    line(
      .program, "redraw the screen",
      [(.redraw, .redraw, [KeyStroke("l", .control)], "redraw the screen")]),
    line(.program, "suspend", [(.suspend, .suspend, [KeyStroke("z", .control)], "suspend")]),
    line(
      .program, "quit (Ctrl-C: from anywhere)", short: "quit",
      [(.quit, .quit, ["q", KeyStroke("c", .control)], "quit")]),
    line(
      .program, "close the overlay", [(.dismiss, .dismiss, [KeyStroke(.escape)], "close the overlay")]),
  ]

  /// - Parameters:
  ///   - text: for the help.
  ///   - short: for the footer.
  ///   - shown: how many bindings' keys the help shows; all of them when not given.
  ///   - bindings: action, command, keys, words for the palette.
  static func line(
    _ group: KeyBinding.Group, _ text: String, short: String? = nil, shown: Int? = nil,
    _ bindings: [(DashboardAction, Command, [KeyStroke], String)]
  ) -> KeyHelp {
    KeyHelp(
      group: group, text: text, short: short, shown: shown ?? bindings.count,
      bindings: bindings.map {
        KeyBinding(action: $0.0, command: $0.1, title: $0.3, group: group, strokes: $0.2)
      })
  }
}

extension KeyTable {
  /// The keys of scatter and histogram.
  static let plots = [
    line(
      .plot, "logarithmic or linear axis", short: "log",
      [(.scale, .toggleScale, ["l"], "logarithmic or linear axis")]),
    line(
      .plot, "fit all, cap at p99, keep range",
      [(.range, .toggleRange, ["y"], "fit all latencies, cap at p99, keep the range")]),
    line(
      .plot, "less, more latency in view",
      [
        (.latencyIn, .zoomInLatency, ["]"], "less latency in view"),
        (.latencyOut, .zoomOutLatency, ["["], "more latency in view"),
      ]),
    line(
      .plot, "pan in latency",
      [
        (.latencyUp, .panUp, [KeyStroke(.up, .shift)], "pan to higher latencies"),
        (.latencyDown, .panDown, [KeyStroke(.down, .shift)], "pan to lower latencies"),
      ]),
    line(
      .plot, "delivery, accept, service, path", short: "value",
      [(.metric, .nextMetric, ["v"], "next of delivery, accept, service and path")]),
    line(
      .plot, "two values: overlaid, beside, off",
      [(.bothLatencies, .nextArrangement, ["d"], "two values: overlaid, beside each other, off")]),
    line(.plot, "next target, then all", [(.target, .nextTarget, ["t"], "next target, then all")]),
    line(
      .plot, "colors by target, state, key",
      [(.colors, .nextColoring, ["u"], "colors by target, by state, or by the key chosen last")]),
    line(
      .plot, "running median, mean, both, none",
      [(.averages, .nextAverages, ["a"], "running median, mean, both, none")]),
    line(
      .plot, "dots, percentiles, what fits",
      [(.bands, .nextMarks, ["B"], "dots, percentiles, or what fits")]),
    line(
      .plot, "heat maps: hours, minutes", short: "heat map",
      [(.heatMap, .nextHeatMap, ["H"], "heat maps: hour of day and day, minute and latency, off")]),
    line(
      .plot, "a pane for each target",
      [(.smallMultiples, .toggleMultiples, ["M"], "a pane for each target, or one for all")]),
    line(
      .plot, "threshold line, on or off",
      [(.threshold, .toggleThreshold, ["T"], "threshold line, on or off")]),
    line(
      .plot, "lower, raise the threshold",
      [
        (.thresholdDown, .lowerThreshold, ["<"], "lower the threshold"),
        (.thresholdUp, .raiseThreshold, [">"], "raise the threshold"),
      ]),
    line(
      .plot, "compare targets or runs", short: "compare",
      [(.compare, .compare, ["c"], "compare two targets, or two marked runs")]),
  ]

  /// Keys for selecting and exporting notifications.
  static let selecting = [
    line(
      .selecting, "crosshair; arrows move it", short: "inspect",
      [(.crosshair, .toggleCrosshair, ["i"], "show or hide the crosshair, which the arrows move")]),
    line(
      .selecting, "previous, next notification",
      [
        (.previousNotification, .previousNotification, [","], "previous notification"),
        (.nextNotification, .nextNotification, ["."], "next notification"),
      ]),
    line(
      .selecting, "begin a box at the crosshair",
      [(.beginBox, .beginBox, ["z"], "begin a box at the crosshair, or cancel it")]),
    line(
      .selecting, "zoom to the box or the selection",
      [(.zoomToBox, .zoomToBox, ["Z"], "zoom to the box or the selection")]),
    line(
      .selecting, "next, previous bucket or line",
      [
        (.chooseNext, .chooseNext, ["J"], "select the next bucket or line"),
        (.choosePrevious, .choosePrevious, ["K"], "select the previous bucket or line"),
      ]),
    line(
      .selecting, "select and list; open a run", short: "list",
      [
        (.list, .list, [KeyStroke(.enter)], "list the selected notifications, open the chosen run"),
        (.choose, .choose, [], "open the chosen run"),
      ]),
    line(
      .selecting, "export the selection as CSV",
      [(.exportSelection, .exportSelection, ["e"], "export the selected notifications as CSV")]),
    line(
      .selecting, "export view or figures",
      [(.exportView, .exportView, ["x"], "export the view as SVG, ANSI or CSV, or its figures")]),
    line(
      .selecting, "copy the notification or line",
      [(.copy, .copy, ["Y"], "copy the opened notification or finding, or the chosen line")]),
    line(
      .selecting, "drag: pan, zoom or select",
      [(.dragAction, .nextDragAction, ["D"], "a drag pans, zooms or selects")]),
    KeyHelp(gesture: "Ctrl-drag", group: .selecting, text: "zoom to a box (Alt: select it)"),
    KeyHelp(gesture: "wheel", group: .selecting, text: "zoom time; Alt latency, Ctrl both"),
  ]
}
