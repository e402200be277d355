import ConstraintAnimation
import Measurement

/// How the plot's rectangle is divided: all in one pane, two metrics side by side, or a pane for each target. All panes have
/// the same size and the same range of time.
struct ScatterPanes: Sendable, Hashable {
  struct Pane: Sendable, Hashable {
    /// The quantiles are those of the first.
    let metrics: [Metric]
    /// The target it shows alone, by its index in the run; `nil` for all on display.
    var target: Int?
    /// Columns from the rectangle's left, and rows from its top.
    let x: Int
    var y = 0
    let geometry: ScatterGeometry

    fileprivate func contains(x: Int, y: Int) -> Bool {
      x >= self.x && x < self.x + geometry.width && y >= self.y && y < self.y + geometry.height
    }
  }

  let panes: [Pane]

  /// Smallest useful width of a pane.
  static let leastWidth = 44

  /// - Parameter metrics: the displayed one first.
  init(width: Int, height: Int, metrics: [Metric], arrangement: MetricArrangement) {
    let share = Self.share(of: width, among: max(1, metrics.count))
    guard arrangement == .sideBySide, metrics.count > 1, share >= Self.leastWidth else {
      panes = [Pane(metrics: metrics, x: 0, geometry: ScatterGeometry(width: width, height: height))]
      return
    }
    // In the order in which they happen.
    panes = Metric.allCases.filter(metrics.contains).enumerated().map { index, metric in
      Pane(
        metrics: [metric], x: index * (share + Self.gap),
        geometry: ScatterGeometry(width: share, height: height))
    }
  }

  /// A pane for each target. Where there is no room for all, one pane with all targets.
  init(width: Int, height: Int, metrics: [Metric], targets: [Int]) {
    // As many columns of panes as make the panes' shape nearest to that of a plot.
    let divisions = (1...max(1, targets.count)).map { columns in
      (columns: columns, rows: (targets.count + columns - 1) / columns)
    }
    let fitting = divisions.filter {
      Self.share(of: width, among: $0.columns) >= Self.leastWidth && height / $0.rows >= Self.leastHeight
    }
    func shape(_ division: (columns: Int, rows: Int)) -> Int {
      abs(width / division.columns - 5 * (height / division.rows))
    }
    guard targets.count > 1, let division = fitting.min(by: { shape($0) < shape($1) }) else {
      panes = [Pane(metrics: metrics, x: 0, geometry: ScatterGeometry(width: width, height: height))]
      return
    }
    let geometry = ScatterGeometry(
      width: Self.share(of: width, among: division.columns), height: height / division.rows)
    panes = targets.enumerated().map { place, target in
      Pane(
        metrics: metrics, target: target, x: place % division.columns * (geometry.width + Self.gap),
        y: place / division.columns * geometry.height, geometry: geometry)
    }
  }

  /// Columns between two panes, for a line.
  private static let gap = 1

  /// The width of each of several panes beside each other.
  private static func share(of width: Int, among panes: Int) -> Int { (width - (panes - 1) * gap) / panes }

  /// Smallest useful height of one of several panes.
  private static let leastHeight = 6

  /// Columns of cells of one plot; all have as many.
  var columns: Int { panes[0].geometry.columns }

  /// The number of the pane at a cell of the rectangle, or of the one nearest to its left.
  func number(atX x: Int, y: Int) -> Int {
    panes.lastIndex { $0.contains(x: x, y: y) } ?? panes.lastIndex { $0.x <= x && $0.y <= y } ?? 0
  }

  /// The pane at a column of the rectangle's first row.
  func pane(at x: Int) -> Pane { panes[number(atX: x, y: 0)] }
}

/// Rows and columns of the parts of a plot.
struct ScatterGeometry: Sendable, Hashable {
  let width: Int
  let height: Int

  /// Columns of the latency axis and its labels.
  static let gutter = 9

  init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  var columns: Int { max(0, width - Self.gutter) }
  /// The first row of the bars of lost, failed and rejected notifications, and how many there are.
  var bandRow: Int { 1 }
  var bandRows: Int { height >= 16 ? 2 : 1 }
  /// The row that these are found in.
  var lossRow: Int { firstRow - 1 }
  var firstRow: Int { bandRow + bandRows }
  /// Rows of the time axis, and of its labels where these fit.
  var axisRows: Int { height >= 11 ? 2 : 1 }
  var axisRow: Int { height - axisRows }
  var rows: Int { max(0, axisRow - firstRow) }

  /// The axis of time and its labels.
  var timeAxis: CellRect { CellRect(x0: 0, y0: axisRow, x1: width, y1: height) }

  /// The cells above the time axis in some columns.
  func cells(of columns: Range<Int>) -> CellRect {
    CellRect(
      x0: Self.gutter + columns.lowerBound, y0: bandRow, x1: Self.gutter + columns.upperBound, y1: axisRow)
  }
}

/// Index into the theme's colors for a mark: by target, by state or by the value of a key, and by metric where one plot has two.
struct SeriesColors: Sendable, Hashable {
  let coloring: MarkColoring
  /// The number of the run's targets.
  let targets: Int
  /// The metrics in one plot.
  let metrics: [Metric]
  /// The colors of a key's values, where colors are by a key.
  var values: ValuePlaces?

  func place(target: Int, metric: Metric, state: NotificationState) -> Int {
    let lane = metrics.firstIndex(of: metric) ?? 0
    switch coloring {
    case .target: return lane * max(1, targets) + target
    case .state: return lane * 2 + (state == .accepted ? 1 : 0)
    case .key: return lane * (values?.count ?? 1)
    }
  }

  /// How many colors ordinary marks may have.
  var count: Int {
    switch coloring {
    case .target: metrics.count * max(1, targets)
    case .state: metrics.count * 2
    case .key: metrics.count * (values?.count ?? 1)
    }
  }

  func codes(target: Int, metric: Metric) -> MarkCodes {
    MarkCodes { place(target: target, metric: metric, state: $0) }
  }

  /// The codes of good notifications by the numbers of their values; empty where colors are not by a key.
  func valueCodes(metric: Metric) -> [UInt16] {
    values?.codes(from: place(target: 0, metric: metric, state: .delivered)) ?? []
  }
}
