import Analysis
import Measurement
import Store

/// How the plots are drawn, and what is pointed at and selected in them.
struct PlotState: Sendable, Equatable {
  var coloring = MarkColoring.target {
    didSet { lastKey = coloring.key ?? lastKey }
  }
  /// The key that colors stood for last; `nil` before one was chosen.
  private(set) var lastKey: BreakdownKey?
  var arrangement = MetricArrangement.single
  var averages = AverageLines.both
  var view = PlotView.automatic
  /// A pane for each target.
  var hasMultiples = false
  /// Latency at which a line is drawn, µs; `nil` for none.
  var threshold: Int64?
  var buckets = BucketKind.logarithmic

  /// `nil` without a crosshair.
  var crosshair: PlotPosition? {
    didSet { if crosshair != oldValue { stepped = nil } }
  }
  /// The crosshair stays when the pointer leaves, and the arrow keys move it.
  var holdsCrosshair = false
  /// A box that is being drawn.
  var box: PlotBox?
  /// The notification that a key has put the crosshair on: of many marks in its cell it is the one that is meant, and the
  /// crosshair goes with it when the window moves. `nil` once the crosshair is moved away.
  private(set) var stepped: PickedNotification?
  /// What dragging in the plot does when no modifier says otherwise.
  var dragAction = DragAction.pan

  /// The notifications that every panel shows as selected; `nil` for none.
  var selection: Selection?
  /// The bucket, log line or event they were chosen by.
  var choice: PanelChoice?

  /// Puts the crosshair on a notification.
  mutating func putCrosshair(on pick: PickedNotification, pane: Int) {
    crosshair = PlotPosition(pane: pane, column: pick.column, y: pick.y)
    stepped = pick
  }

  /// Adopts the crosshair and what it is on from another state.
  mutating func adoptCrosshair(of other: PlotState) {
    crosshair = other.crosshair
    stepped = other.stepped
  }

  /// Whether the panels mark other rows or buckets than in another state.
  func marksDiffer(from other: PlotState) -> Bool {
    selection != other.selection || choice != other.choice || buckets != other.buckets
  }

  var chosenLogLine: RecordPlace? { if case .logLine(let place) = choice { place } else { nil } }

  var chosenEvent: RecordPlace? { if case .event(let place) = choice { place } else { nil } }

  // MARK: - Commands

  /// Carries out a command that changes nothing but this.
  /// - Returns: what to tell the user; `nil` for any other command.
  mutating func reduce(_ command: Command) -> String? {
    switch command {
    case .nextAverages: return advance(\.averages)
    case .nextColoring:
      coloring = coloring.next(lastKey)
      return coloring.name
    case .nextArrangement: return advance(\.arrangement)
    case .nextBuckets: return advance(\.buckets)
    case .nextDragAction: return "dragging in the plot \(advance(\.dragAction))"
    case .nextMarks: view = view.nextMarks
    case .nextHeatMap: view = view.nextHeatMap
    case .lowerThreshold, .raiseThreshold:
      threshold = threshold.map(command == .lowerThreshold ? LatencyAxis.niceBelow : LatencyAxis.niceAbove)
      return thresholdText
    default: return nil
    }
    return view.name
  }

  private mutating func advance(_ choice: WritableKeyPath<PlotState, some PlotChoice>) -> String {
    self[keyPath: choice] = self[keyPath: choice].next
    return self[keyPath: choice].name
  }

  var thresholdText: String {
    threshold.map { "threshold line at \(LatencyText.text($0))" } ?? "no threshold line"
  }

  // MARK: - Pointer, crosshair and box

  /// The pointer is over this cell, or elsewhere. A crosshair that keys move stays until the pointer is back.
  mutating func hover(at place: PlotPosition?) {
    guard !holdsCrosshair || place != nil else { return }
    (holdsCrosshair, crosshair) = (false, place)
  }

  mutating func drag(_ action: DragAction, to place: PlotPosition) {
    if !holdsCrosshair { crosshair = place }
    if action != .pan { box?.end = place }
  }

  mutating func moveCrosshair(columns: Int, rows: Int, in geometry: ScatterGeometry) {
    guard var place = crosshair else { return }
    place.column = min(max(place.column + columns, 0), geometry.columns - 1)
    place.y = min(max(place.y + rows, geometry.bandRow), geometry.axisRow - 1)
    crosshair = place
    box?.end = place
  }

  mutating func toggleCrosshair(in geometry: ScatterGeometry) {
    box = nil
    holdsCrosshair.toggle()
    guard holdsCrosshair else {
      crosshair = nil
      return
    }
    guard geometry.rows > 0, geometry.columns > 0 else { return }
    let middle = PlotPosition(
      pane: 0, column: geometry.columns / 2, y: geometry.firstRow + geometry.rows / 2)
    crosshair = crosshair ?? middle
  }

  /// Begins a box at the crosshair, or cancels it.
  mutating func beginBox(in geometry: ScatterGeometry) {
    if box != nil {
      box = nil
    } else {
      if !holdsCrosshair { toggleCrosshair(in: geometry) }
      box = crosshair.map(PlotBox.init(at:))
    }
  }
}

/// A choice that a key goes through.
protocol PlotChoice {
  var next: Self { get }
  /// The choice in words.
  var name: String { get }
}

/// What was chosen in the panel.
enum PanelChoice: Sendable, Hashable {
  /// Index of a bucket of the histogram.
  case bucket(Int)
  case logLine(RecordPlace)
  case event(RecordPlace)
}

/// What a drag in the plot does.
enum DragAction: Sendable, Hashable, CaseIterable, PlotChoice {
  /// Moves the window with the pointer.
  case pan
  /// Zooms to the box.
  case zoom
  /// Selects what is in the box.
  case select

  var next: DragAction {
    switch self {
    case .pan: .zoom
    case .zoom: .select
    case .select: .pan
    }
  }

  var name: String {
    switch self {
    case .pan: "pans"
    case .zoom: "zooms to a box"
    case .select: "selects a box"
    }
  }
}

/// How many metrics the plot shows, and where.
enum MetricArrangement: Sendable, Hashable, CaseIterable, PlotChoice {
  case single
  /// Two metrics in one plot.
  case overlaid
  /// Two plots, one a metric, each with an axis of its own.
  case sideBySide

  var name: String {
    switch self {
    case .single: "one value"
    case .overlaid: "two values in one plot"
    case .sideBySide: "two values in two plots"
    }
  }

  var next: MetricArrangement {
    switch self {
    case .single: .overlaid
    case .overlaid: .sideBySide
    case .sideBySide: .single
    }
  }
}

/// How notifications are drawn.
enum PlotView: Sendable, Hashable, CaseIterable {
  /// Shows dots, or percentiles where there are too many dots.
  case automatic
  case dots
  /// Percentiles of each column.
  case bands
  /// Heat map: hour of day × day.
  case hours
  /// Heat map: minute × latency.
  case minutes

  var isHeatMap: Bool { self == .hours || self == .minutes }

  /// The order in which a key goes through the ways to draw a window.
  var nextMarks: PlotView {
    switch self {
    case .automatic: .bands
    case .bands: .dots
    case .dots, .hours, .minutes: .automatic
    }
  }

  /// The order in which a key goes through the heat maps.
  var nextHeatMap: PlotView {
    switch self {
    case .automatic, .dots, .bands: .hours
    case .hours: .minutes
    case .minutes: .automatic
    }
  }

  var name: String {
    switch self {
    case .automatic: "dots, or percentiles where there are too many"
    case .dots: "dots"
    case .bands: "percentiles"
    case .hours: "heat map of hours and days"
    case .minutes: "heat map of minutes and latencies"
    }
  }
}

/// Which running averages are drawn.
enum AverageLines: Sendable, Hashable, CaseIterable, PlotChoice {
  case both
  case median
  case mean
  case none

  var showsMedian: Bool { self == .both || self == .median }
  var showsMean: Bool { self == .both || self == .mean }

  var name: String {
    switch self {
    case .both: "running median and mean"
    case .median: "running median"
    case .mean: "running mean"
    case .none: "no averages"
    }
  }

  var next: AverageLines {
    switch self {
    case .both: .median
    case .median: .mean
    case .mean: .none
    case .none: .both
    }
  }
}

/// What the color of an ordinary mark stands for. Errors and losses have colors of their own in any case.
enum MarkColoring: Sendable, Hashable {
  /// The target.
  case target
  /// Delivered, or accepted only.
  case state
  /// The value of a key.
  case key(BreakdownKey)

  /// - Parameter name: `target`, `state`, or the name of a key.
  init?(name: String) {
    switch name {
    case "target": self = .target
    case "state": self = .state
    default:
      guard let key = BreakdownKey(name: name) else { return nil }
      self = .key(key)
    }
  }

  /// The names of those without an argument.
  static let names = ["target", "state"] + BreakdownKey.named.filter { $0 != .target }.map(\.name)

  var key: BreakdownKey? { if case .key(let key) = self { key } else { nil } }

  /// The name in the palette; a label in it is from outside and not escaped.
  var shortName: String {
    switch self {
    case .target: "target"
    case .state: "state"
    case .key(let key): key.name
    }
  }

  /// The choice in words.
  var name: String { "colors by \(shortName)" }

  /// The order in which a key of the keyboard goes through them.
  /// - Parameter last: the key that colors stood for last.
  func next(_ last: BreakdownKey?) -> MarkColoring {
    switch self {
    case .target: .state
    case .state: last.map(MarkColoring.key) ?? .target
    case .key: .target
    }
  }
}

/// The buckets of the histogram.
enum BucketKind: Sendable, Hashable, CaseIterable, PlotChoice {
  /// Steps of equal ratio.
  case logarithmic
  /// One second each, or the smallest round number of seconds that fits the width.
  case seconds

  var name: String { self == .logarithmic ? "logarithmic buckets" : "buckets of seconds" }

  var next: BucketKind { self == .logarithmic ? .seconds : .logarithmic }
}
