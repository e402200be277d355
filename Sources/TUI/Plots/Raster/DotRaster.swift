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
    private let start: Int64
    private let dotsPerMicrosecond: Double
    /// The code of each state, 0 for what is not drawn.
    let codes: MarkCodes
    /// Now on the run's monotonic clock, µs: pending ones are drawn at their age, which is the least their latency
    /// can be. `nil` leaves them out.
    let pendingUntil: Int64?

    /// - Parameters:
    ///   - target: place of the target in its run.
    ///   - dotColumns: of one cell.
    init(
      window: TimeWindow, lookup: RowLookup, metric: Metric, target: Int, pendingUntil: Int64?,
      dotColumns: Int
    ) {
      self.window = window
      self.lookup = lookup
      self.metric = metric
      self.pendingUntil = pendingUntil
      codes = MarkCodes(target: target)
      start = window.start.microseconds
      dotsPerMicrosecond = Double(dotColumns) / Double(window.scale.columnDuration)
    }

    /// Negative before the window. The half keeps exact multiples on their side of the boundary in spite of the
    /// reciprocal; cutting is the same as rounding down from there on, and needs no call.
    @inline(__always)
    func dotColumn(of time: Int64) -> Int {
      let place = (Double(time - start) + 0.5) * dotsPerMicrosecond
      return place < 0 ? -1 : Int(place)
    }
  }

  /// Sets the dots of all points; those outside the window or without a value are passed over.
  mutating func plot(_ points: UnsafeBufferPointer<PlotPoint>, _ projection: Projection) {
    guard columns > 0, rows > 0 else { return }
    let phase = medianPhase(of: projection.window)
    projection.lookup.withReader { lookup in
      withPlanes { planes in
        for point in points { planes.plot(point, projection, lookup, phase: phase) }
      }
    }
  }

  /// All planes as plain memory, so that thousands of points do not pay for checks that hold for each of them: a cell
  /// is only ever touched after column and row have been found to be inside.
  private mutating func withPlanes(_ body: (RasterPlanes) -> Void) {
    let (columns, dotColumns, dotRows, encoding) = (columns, dotColumns, dotRows, encoding)
    dots.withUnsafeMutableBufferPointer { dots in
      counts.withUnsafeMutableBufferPointer { counts in
        codes.withUnsafeMutableBufferPointer { codes in
          above.withUnsafeMutableBufferPointer { above in
            below.withUnsafeMutableBufferPointer { below in
              rowCounts.withUnsafeMutableBufferPointer { rowCounts in
                body(
                  RasterPlanes(
                    columns: columns, dotColumns: dotColumns, dotRows: dotRows,
                    columnShift: encoding.columns.trailingZeroBitCount,
                    rowShift: encoding.rows.trailingZeroBitCount, dots: dots, counts: counts, codes: codes,
                    above: above, below: below, rowCounts: rowCounts))
              }
            }
          }
        }
      }
    }
  }

  /// Runs of columns for medians are counted from 1970, so that a step of the window does not change them.
  func medianPhase(of window: TimeWindow) -> Int {
    let size = Int64(Self.medianColumns)
    return Int(window.firstColumn - window.firstColumn.flooringQuotient(size) * size)
  }
}
