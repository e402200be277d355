import Measurement

/// A grid of cells with dots in them, in two planes: which dots are set, and what the cell as a whole stands for
/// (how many notifications, the worst class among them). A cell has one colour; it is given by the second plane.
///
/// It keeps its memory between frames.
struct DotRaster {
  private(set) var columns = 0
  private(set) var rows = 0
  private(set) var encoding: DotEncoding
  /// Patterns of `DotEncoding`, row by row.
  private(set) var dots: [UInt8] = []
  /// Notifications in each cell, at most 65 535.
  private(set) var counts: [UInt16] = []
  /// The highest `MarkCode` in each cell; 0 when empty.
  private(set) var codes: [UInt8] = []
  /// The highest code of values above the axis, by column of cells.
  private(set) var above: [UInt8] = []
  /// The highest code of values below the axis.
  private(set) var below: [UInt8] = []
  /// How often each row of dots was hit, for each run of `medianColumns` columns of cells; pending ones left out.
  private(set) var rowCounts: [UInt16] = []

  /// Columns of cells that share a median.
  static let medianColumns = 8

  init(encoding: DotEncoding) { self.encoding = encoding }

  var dotColumns: Int { columns * encoding.columns }
  var dotRows: Int { rows * encoding.rows }
  var medianRuns: Int { (columns + Self.medianColumns - 1) / Self.medianColumns + 1 }

  /// Empties the raster and gives it a size in cells.
  mutating func reset(columns: Int, rows: Int, encoding: DotEncoding) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.encoding = encoding
    Self.clear(&dots, count: self.columns * self.rows)
    Self.clear(&counts, count: self.columns * self.rows)
    Self.clear(&codes, count: self.columns * self.rows)
    Self.clear(&above, count: self.columns)
    Self.clear(&below, count: self.columns)
    // Values above and below the axis count for the median too, in a row of their own at either end.
    Self.clear(&rowCounts, count: medianRuns * (dotRows + 2))
  }

  private static func clear<Element: FixedWidthInteger>(_ plane: inout [Element], count: Int) {
    if plane.count == count {
      plane.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    } else {
      plane = Array(repeating: 0, count: count)
    }
  }

  /// What a track's points need to become dots.
  struct Projection {
    let window: TimeWindow
    let lookup: RowLookup
    let metric: Metric
    /// Place of the target in its run.
    let target: Int
    /// Now on the run's monotonic clock, µs: pending ones are drawn at their age, which is the least their latency
    /// can be. `nil` leaves them out.
    let pendingUntil: Int64?
  }

  /// Sets the dots of all points; those outside the window or without a value are passed over.
  mutating func plot(_ points: UnsafeBufferPointer<PlotPoint>, _ projection: Projection) {
    guard columns > 0, rows > 0 else { return }
    let codes = Self.codes(target: projection.target)
    let lookup = projection.lookup
    let metric = projection.metric
    let start = projection.window.start.microseconds
    let perDot = Double(encoding.columns) / Double(projection.window.scale.columnDuration)
    let medianOffset = medianPhase(of: projection.window)
    let (dotColumns, dotRows) = (dotColumns, dotRows)
    for point in points {
      let code = codes[point.state.rawValue]
      if code == 0 { continue }
      var value = point.rawValue(of: metric)
      var isPending = false
      if value == PlotPoint.absent {
        guard point.state == .inFlight, let now = projection.pendingUntil else { continue }
        isPending = true
        value = now - point.plannedMonotonic
      }
      // A corrected latency may come out below nothing, and so may an age between two clocks.
      value = max(0, value)
      // The half keeps exact multiples on their side of the boundary in spite of the reciprocal.
      let dotColumn = Int(((Double(point.plannedAt - start) + 0.5) * perDot).rounded(.down))
      guard dotColumn >= 0 && dotColumn < dotColumns else { continue }
      let row = lookup.row(of: value)
      set(dotColumn: dotColumn, row: row, code: code)
      if !isPending {
        let run = (dotColumn / encoding.columns + medianOffset) / Self.medianColumns
        rowCounts[run * (dotRows + 2) + row + 1] &+= 1
      }
    }
  }

  /// Runs of columns for medians are counted from 1970, so that a step of the window does not change them.
  func medianPhase(of window: TimeWindow) -> Int {
    let size = Int64(Self.medianColumns)
    return Int(window.firstColumn - window.firstColumn.flooringQuotient(size) * size)
  }

  /// The code of each state, 0 for what is not drawn.
  private static func codes(target: Int) -> [UInt8] {
    NotificationState.allCases.map { state in
      MarkClass(state).map { MarkCode($0, target: target).rawValue } ?? 0
    }
  }

  @inline(__always)
  private mutating func set(dotColumn: Int, row: Int, code: UInt8) {
    let column = dotColumn / encoding.columns
    if row < 0 {
      below[column] = max(below[column], code)
      return
    }
    if row >= dotRows {
      above[column] = max(above[column], code)
      return
    }
    let fromTop = dotRows - 1 - row
    let cell = fromTop / encoding.rows * columns + column
    let place = fromTop % encoding.rows * encoding.columns + dotColumn % encoding.columns
    dots[cell] |= 1 << UInt8(place)
    if counts[cell] != .max { counts[cell] += 1 }
    codes[cell] = max(codes[cell], code)
  }
}
