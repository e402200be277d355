/// How the plots show what they show, and what the person points at and has chosen.
struct PlotState: Sendable, Equatable {
  var coloring = MarkColoring.target
  var arrangement = MetricArrangement.single
  var averages = AverageLines.both
  /// µs: where a line is drawn; `nil` for none.
  var threshold: Int64?
  var buckets = BucketKind.logarithmic

  /// Where the crosshair is; `nil` without one.
  var crosshair: PlotPosition?
  /// The crosshair stays when the pointer leaves, and the arrow keys move it.
  var holdsCrosshair = false
  /// A box that is being drawn.
  var box: PlotBox?
  /// What dragging in the plot does when no modifier says otherwise.
  var dragAction = DragAction.pan

  /// The notifications that every panel shows as chosen; `nil` for none.
  var selection: Selection?
  /// The bucket, log line or event they were chosen by.
  var choice: PanelChoice?
  /// What lies on top of the panels.

  var chosenLogLine: Int64? { if case .logLine(let number) = choice { number } else { nil } }

  var chosenEvent: Int64? { if case .event(let number) = choice { number } else { nil } }
}
