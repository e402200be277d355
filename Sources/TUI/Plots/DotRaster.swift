import Measurement
import Store

/// A grid of cells with dots, in two planes: the set dots, and the content of each cell (number of notifications, worst class
/// among them). The second plane decides the cell's color, since a cell has only one.
///
/// Its memory is reused for each frame.
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
  /// Number of values in each row of dots, by lane, for each run of `medianColumns` columns of cells; pending ones
  /// left out.
  private(set) var rowCounts: [UInt32] = []
  /// The sum of the same values, µs, by lane, for each run.
  private(set) var sums: [Int64] = []
  /// Metrics that are plotted together and averaged separately.
  private(set) var lanes = 1

  /// Columns of cells that share a median.
  static let medianColumns = 8

  init(encoding: DotEncoding) { self.encoding = encoding }

  var dotColumns: Int { columns * encoding.columns }
  var dotRows: Int { rows * encoding.rows }
  var medianRuns: Int { (columns + Self.medianColumns - 1) / Self.medianColumns + 1 }

  /// Empties the raster and gives it a size in cells.
  mutating func reset(columns: Int, rows: Int, encoding: DotEncoding, lanes: Int = 1) {
    self.lanes = max(1, lanes)
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.encoding = encoding
    Self.clear(&dots, count: self.columns * self.rows)
    Self.clear(&counts, count: self.columns * self.rows)
    Self.clear(&codes, count: self.columns * self.rows)
    Self.clear(&above, count: self.columns)
    Self.clear(&below, count: self.columns)
    // Values above and below the axis count for the median, too, in an extra row at each end.
    Self.clear(&rowCounts, count: self.lanes * medianRuns * (dotRows + 2))
    Self.clear(&sums, count: self.lanes * medianRuns)
  }

  private static func clear<Element: FixedWidthInteger>(_ plane: inout [Element], count: Int) {
    if plane.count == count {
      plane.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    } else {
      plane = Array(repeating: 0, count: count)
    }
  }

  /// The conversion of a track's points to dots.
  struct Projection {
    let window: TimeWindow
    let lookup: RowLookup
    let metric: Metric
    private let start: Int64
    private let dotsPerMicrosecond: Double
    /// The code of each state, 0 for what is not drawn.
    let codes: MarkCodes
    /// Current time on the run's monotonic clock, µs: pending notifications are drawn at their age, the lower bound of their
    /// latency. `nil` omits them.
    let pendingUntil: Int64?
    /// The lane of averages that the values belong to.
    let lane: Int

    /// - Parameter dotColumns: of one cell.
    init(
      window: TimeWindow, lookup: RowLookup, metric: Metric, codes: MarkCodes, pendingUntil: Int64?,
      dotColumns: Int, lane: Int = 0
    ) {
      self.window = window
      self.lookup = lookup
      self.metric = metric
      self.pendingUntil = pendingUntil
      self.lane = lane
      self.codes = codes
      start = window.start.microseconds
      dotsPerMicrosecond = Double(dotColumns) / Double(window.scale.columnDuration)
    }

    /// Negative before the window. The half keeps exact multiples on the right side of the boundary despite the reciprocal;
    /// from there truncation is the same as rounding down, without a function call.
    @inline(__always)
    func dotColumn(of time: Int64) -> Int {
      let place = (Double(time - start) + 0.5) * dotsPerMicrosecond
      return place < 0 ? -1 : Int(place)
    }
  }

  /// Sets the dots of all points; points outside the window or without a value are skipped.
  mutating func plot(_ points: UnsafeBufferPointer<SamplePoint>, _ projection: Projection) {
    guard columns > 0, rows > 0, projection.lane < lanes else { return }
    let phase = medianPhase(of: projection.window)
    projection.lookup.withReader { lookup in
      withPlanes { planes in
        let firstRun = projection.lane * planes.runs
        for point in points { planes.plot(point, projection, lookup, phase: phase, firstRun: firstRun) }
      }
    }
  }

  /// All planes as plain memory, without bounds checks for thousands of points: a cell is accessed only after column and row
  /// were found to be inside.
  mutating func withPlanes(_ body: (RasterPlanes) -> Void) {
    let (columns, dotColumns, dotRows, encoding) = (columns, dotColumns, dotRows, encoding)
    let runs = medianRuns
    dots.withUnsafeMutableBufferPointer { dots in
      counts.withUnsafeMutableBufferPointer { counts in
        codes.withUnsafeMutableBufferPointer { codes in
          above.withUnsafeMutableBufferPointer { above in
            below.withUnsafeMutableBufferPointer { below in
              rowCounts.withUnsafeMutableBufferPointer { rowCounts in
                sums.withUnsafeMutableBufferPointer { sums in
                  body(
                    RasterPlanes(
                      columns: columns, dotColumns: dotColumns, dotRows: dotRows, runs: runs,
                      columnShift: encoding.columns.trailingZeroBitCount,
                      rowShift: encoding.rows.trailingZeroBitCount, dots: dots, counts: counts, codes: codes,
                      above: above, below: below, rowCounts: rowCounts, sums: sums))
                }
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
    return Int(window.firstColumn - window.firstColumn.flooringDivision(by: size) * size)
  }
}

/// The planes of a `DotRaster` while they are drawn on.
struct RasterPlanes {
  let columns: Int
  let dotColumns: Int
  let dotRows: Int
  /// Runs of columns in a lane of averages.
  let runs: Int
  /// Columns and rows of dots in a cell are powers of two.
  let columnShift: Int
  let rowShift: Int
  let dots: UnsafeMutableBufferPointer<UInt8>
  let counts: UnsafeMutableBufferPointer<UInt16>
  let codes: UnsafeMutableBufferPointer<UInt8>
  let above: UnsafeMutableBufferPointer<UInt8>
  let below: UnsafeMutableBufferPointer<UInt8>
  let rowCounts: UnsafeMutableBufferPointer<UInt32>
  let sums: UnsafeMutableBufferPointer<Int64>

  @inline(__always)
  func plot(
    _ point: SamplePoint, _ projection: DotRaster.Projection, _ lookup: RowLookup.Reader, phase: Int,
    firstRun: Int
  ) {
    let code = projection.codes[point.state]
    if code == 0 { return }
    var value = point.rawValue(of: projection.metric)
    var isPending = false
    if value == SamplePoint.absent {
      guard point.state == .inFlight, let now = projection.pendingUntil else { return }
      isPending = true
      value = now - point.plannedMonotonic
    }
    let dotColumn = projection.dotColumn(of: point.plannedAt)
    guard dotColumn >= 0 && dotColumn < dotColumns else { return }
    // A corrected latency may be negative, and so may an age between two clocks.
    value = max(0, value)
    var row = lookup.row(of: value)
    // Notifications that were just sent rise from the axis.
    if isPending, row < 0 { row = 0 }
    let column = dotColumn >> columnShift
    if !isPending {
      let run = firstRun + (column + phase) / DotRaster.medianColumns
      rowCounts[run * (dotRows + 2) + row + 1] &+= 1
      sums[run] &+= value
    }
    if row < 0 {
      below[column] = max(below[column], code)
      return
    }
    if row >= dotRows {
      above[column] = max(above[column], code)
      return
    }
    let fromTop = dotRows - 1 - row
    let cell = (fromTop >> rowShift) * columns + column
    let place = (fromTop & (1 << rowShift - 1)) << columnShift | dotColumn & (1 << columnShift - 1)
    dots[cell] |= 1 << UInt8(truncatingIfNeeded: place)
    if counts[cell] != .max { counts[cell] &+= 1 }
    codes[cell] = max(codes[cell], code)
  }
}

extension DotRaster {
  /// Sets the dots of aggregates: each bucket in all columns and rows that it covers, counted in these cells.
  mutating func plot(_ columns: ArraySlice<Density.Column>, _ projection: Projection) {
    guard self.columns > 0, rows > 0, projection.lane < lanes else { return }
    let phase = medianPhase(of: projection.window)
    // Which of them were late is unknown: they have the color of those in time.
    let code = projection.codes[.delivered]
    projection.lookup.withReader { lookup in
      withPlanes { planes in
        let firstRun = projection.lane * planes.runs
        for column in columns {
          let first = max(0, projection.dotColumn(of: column.start))
          let last = min(planes.dotColumns - 1, projection.dotColumn(of: column.start + column.duration - 1))
          guard first <= last else { continue }
          for bucket in column.buckets(of: projection.metric) {
            planes.fill(
              first...last, with: bucket, from: lookup.row(of: bucket.lower),
              to: lookup.row(of: bucket.upper),
              code: code, phase: phase, firstRun: firstRun)
          }
        }
      }
    }
  }
}

extension RasterPlanes {
  /// Sets the dots of nearly equal values, in a range of columns of dots inside the raster.
  func fill(
    _ dotColumns: ClosedRange<Int>, with bucket: DensityBucket, from lowest: Int, to highest: Int,
    code: UInt8,
    phase: Int, firstRun: Int
  ) {
    let cells = (dotColumns.lowerBound >> columnShift)...(dotColumns.upperBound >> columnShift)
    // The count is divided among the cells, with at least one in each.
    let share = max(1, bucket.count / UInt32(cells.count))
    let middle = bucket.middle
    for column in cells {
      let run = firstRun + (column + phase) / DotRaster.medianColumns
      rowCounts[run * (dotRows + 2) + (lowest + highest) / 2 + 1] &+= share
      sums[run] &+= middle * Int64(share)
      if lowest < 0 { below[column] = max(below[column], code) }
      if highest >= dotRows { above[column] = max(above[column], code) }
    }
    guard highest >= 0, lowest < dotRows else { return }
    let rows = max(0, lowest)...min(highest, dotRows - 1)
    let rowShare = UInt16(clamping: max(1, share / UInt32(rows.count)))
    for row in rows {
      let fromTop = dotRows - 1 - row
      let firstCell = (fromTop >> rowShift) * columns
      for column in cells {
        let cell = firstCell + column
        let total = counts[cell].addingReportingOverflow(rowShare)
        counts[cell] = total.overflow ? .max : total.partialValue
        codes[cell] = max(codes[cell], code)
      }
      let placeInRow = (fromTop & (1 << rowShift - 1)) << columnShift
      for dotColumn in dotColumns {
        let place = placeInRow | dotColumn & (1 << columnShift - 1)
        dots[firstCell + (dotColumn >> columnShift)] |= 1 << UInt8(truncatingIfNeeded: place)
      }
    }
  }
}

/// A running average as a line of dots, computed from the raster's counts. It ends where the values end.
struct RunningLine {
  /// Row of dots from the bottom for each column of dots; `nil` where there are too few values nearby.
  let rows: [Int?]

  /// With fewer values no average is drawn.
  static let leastValues = 3

  /// The median of each run of columns.
  /// - Parameters:
  ///   - phase: see `DotRaster.medianPhase(of:)`.
  ///   - lane: which of the metrics.
  static func median(of raster: DotRaster, phase: Int, lane: Int = 0) -> RunningLine {
    let stride = raster.dotRows + 2
    return RunningLine(raster, phase: phase) { run in
      let first = (lane * raster.medianRuns + run) * stride
      return medianRow(of: raster.rowCounts[first..<first + stride], rows: raster.dotRows)
    }
  }

  /// The mean of each run of columns; values off the scale count with their value.
  static func mean(of raster: DotRaster, phase: Int, lane: Int = 0, lookup: RowLookup) -> RunningLine {
    let stride = raster.dotRows + 2
    return RunningLine(raster, phase: phase) { run in
      let place = lane * raster.medianRuns + run
      let count = raster.rowCounts[place * stride..<(place + 1) * stride].reduce(0) { $0 + Int64($1) }
      guard count >= leastValues else { return nil }
      let row = lookup.row(of: raster.sums[place] / count)
      return row >= 0 && row < raster.dotRows ? row : nil
    }
  }

  /// Straight lines from the middle of one run to the middle of the next.
  private init(_ raster: DotRaster, phase: Int, row: (Int) -> Int?) {
    let averages = (0..<raster.medianRuns).map(row)
    let width = DotRaster.medianColumns * raster.encoding.columns
    let shift = phase * raster.encoding.columns
    rows = (0..<raster.dotColumns).map { column in
      let place = Double(column + shift) + 0.5 - Double(width) / 2
      let left = Int((place / Double(width)).rounded(.down))
      let share = place / Double(width) - Double(left)
      let from = averages.indices.contains(left) ? averages[left] : nil
      let to = averages.indices.contains(left + 1) ? averages[left + 1] : nil
      switch (from, to) {
      case (let from?, let to?):
        return Int((Double(from) + Double(to - from) * share + 0.5).rounded(.down))
      // At each end the line continues horizontally for half a run.
      case (let from?, nil): return share < 0.5 ? from : nil
      case (nil, let to?): return share >= 0.5 ? to : nil
      case (nil, nil): return nil
      }
    }
  }

  /// The row of the median of a run of columns; `nil` if it is off the axis or of too few values.
  private static func medianRow(of counts: ArraySlice<UInt32>, rows: Int) -> Int? {
    let total = counts.reduce(0) { $0 + Int($1) }
    guard total >= leastValues else { return nil }
    var seen = 0
    for (offset, count) in counts.enumerated() {
      seen += Int(count)
      if seen * 2 >= total {
        let row = offset - 1
        return row >= 0 && row < rows ? row : nil
      }
    }
    return nil
  }
}
