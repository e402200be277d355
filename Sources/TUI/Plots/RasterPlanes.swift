import Measurement
import Store

/// Where the planes of a `DotRaster` begin in its block, those with the largest elements first, so that each is aligned.
struct RasterLayout {
  /// Elements of each plane.
  private(set) var cells = 0
  private(set) var columns = 0
  private(set) var runs = 0
  private(set) var rowCounts = 0
  private(set) var present = 0
  private(set) var spread = 0
  private(set) var shares = 0

  init() {}

  init(_ raster: DotRaster, hasSpread: Bool) {
    cells = raster.columns * raster.rows
    columns = raster.columns
    runs = raster.lanes * raster.medianRuns
    // Values above and below the axis count for the median, too, in an extra row at each end.
    rowCounts = runs * (raster.dotRows + 2)
    present = raster.lanes * columns
    spread = hasSpread ? columns * (raster.dotRows + 2) : 0
    shares = raster.places > 1 ? cells * raster.places : 0
  }

  /// Words of eight bytes that all planes take.
  var words: Int {
    let wide = runs * 8 + (rowCounts + present + spread) * 4 + columns * MemoryLayout<ColumnOutcome>.stride
    return (wide + (2 * cells + 2 * columns + shares) * 2 + cells + 7) / 8
  }
}

/// The planes of a `DotRaster` while they are drawn on.
struct RasterPlanes {
  /// What is the same for all planes.
  struct Size {
    let columns: Int
    let dotColumns: Int
    let dotRows: Int
    let runs: Int
    let columnShift: Int
    let rowShift: Int
    let places: Int
    let layout: RasterLayout

    init(_ raster: DotRaster, _ layout: RasterLayout) {
      (columns, dotColumns, dotRows) = (raster.columns, raster.dotColumns, raster.dotRows)
      (runs, places, self.layout) = (raster.medianRuns, raster.places, layout)
      columnShift = raster.encoding.columns.trailingZeroBitCount
      rowShift = raster.encoding.rows.trailingZeroBitCount
    }
  }

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
  let codes: UnsafeMutableBufferPointer<UInt16>
  let above: UnsafeMutableBufferPointer<UInt16>
  let below: UnsafeMutableBufferPointer<UInt16>
  let rowCounts: UnsafeMutableBufferPointer<UInt32>
  let sums: UnsafeMutableBufferPointer<Int64>
  let tallies: ColumnTallies
  let places: Int
  let shares: UnsafeMutableBufferPointer<UInt16>

  /// - Parameter block: of as many words as the layout says.
  init(_ block: UnsafeMutableRawBufferPointer, _ size: Size) {
    (columns, dotColumns, dotRows) = (size.columns, size.dotColumns, size.dotRows)
    (runs, places) = (size.runs, size.places)
    (columnShift, rowShift) = (size.columnShift, size.rowShift)
    var rest = block
    func plane<Element: BitwiseCopyable>(of count: Int) -> UnsafeMutableBufferPointer<Element> {
      let bytes = count * MemoryLayout<Element>.stride
      defer { rest = UnsafeMutableRawBufferPointer(rebasing: rest[bytes...]) }
      return UnsafeMutableRawBufferPointer(rebasing: rest[..<bytes]).assumingMemoryBound(to: Element.self)
    }
    let layout = size.layout
    sums = plane(of: layout.runs)
    rowCounts = plane(of: layout.rowCounts)
    let outcomes: UnsafeMutableBufferPointer<ColumnOutcome> = plane(of: layout.columns)
    tallies = ColumnTallies(
      outcomes: outcomes, present: plane(of: layout.present), spread: plane(of: layout.spread))
    counts = plane(of: layout.cells)
    codes = plane(of: layout.cells)
    above = plane(of: layout.columns)
    below = plane(of: layout.columns)
    shares = plane(of: layout.shares)
    dots = plane(of: layout.cells)
  }

  /// Sums of the column that points fall into: they are in the order of time, so that the next one mostly is in the same.
  struct ColumnSums {
    let column: Int
    /// The first row of dots of its run of averages in `rowCounts`.
    let rows: Int
    let run: Int
    var outcome = ColumnOutcome()
    var present: UInt32 = 0
    var sum: Int64 = 0
  }

  /// - Parameter column: -1 for none.
  @inline(__always)
  func column(_ column: Int, _ projection: DotRaster.Projection, phase: Int) -> ColumnSums {
    guard column >= 0 else { return ColumnSums(column: column, rows: 0, run: 0) }
    let run = projection.lane * runs + (column + phase) / DotRaster.medianColumns
    return ColumnSums(
      column: column, rows: run * (dotRows + 2) + 1, run: run,
      outcome: projection.lane == 0 ? tallies.outcomes[column] : ColumnOutcome())
  }

  @inline(__always)
  func keep(_ sums: ColumnSums, _ projection: DotRaster.Projection) {
    guard sums.column >= 0 else { return }
    if projection.lane == 0 { tallies.outcomes[sums.column] = sums.outcome }
    tallies.present[projection.lane * columns + sums.column] &+= sums.present
    self.sums[sums.run] &+= sums.sum
  }

  /// - Parameter code: a `MarkCode`; 0 for what is not drawn.
  @inline(__always)
  func plot(
    _ point: SamplePoint, _ code: UInt16, _ projection: DotRaster.Projection, _ lookup: RowLookup.Reader,
    phase: Int, _ sums: inout ColumnSums, _ hasPending: inout Bool
  ) {
    if code == 0 { return }
    let dotColumn = projection.dotColumn(of: point.plannedAt)
    guard dotColumn >= 0 && dotColumn < dotColumns else { return }
    let column = dotColumn >> columnShift
    if column != sums.column {
      keep(sums, projection)
      sums = self.column(column, projection, phase: phase)
    }
    sums.outcome.add(code)
    var value = point.rawValue(of: projection.metric)
    var isPending = false
    if value == SamplePoint.absent {
      guard point.state == .inFlight else { return }
      hasPending = true
      guard let now = projection.pendingUntil else { return }
      isPending = true
      value = now - point.plannedMonotonic
    }
    // A corrected latency may be negative, and so may an age between two clocks.
    value = max(0, value)
    var row = lookup.row(of: value)
    // Notifications that were just sent rise from the axis.
    if isPending, row < 0 { row = 0 }
    if !isPending {
      rowCounts[sums.rows + row] &+= 1
      sums.sum &+= value
      sums.present &+= 1
      if projection.lane == 0, !tallies.spread.isEmpty {
        tallies.spread[column * (dotRows + 2) + row + 1] &+= 1
      }
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
    if places > 1 { share(1, of: code, in: cell) }
  }

  /// Counts notifications for the color of their cell.
  @inline(__always)
  private func share(_ count: UInt16, of code: UInt16, in cell: Int) {
    let place = cell * places + min(MarkCode(rawValue: code).target, places - 1)
    let total = shares[place].addingReportingOverflow(count)
    shares[place] = total.overflow ? .max : total.partialValue
  }
}

/// What became of the notifications of one column of cells.
struct ColumnOutcome: Sendable, Hashable, BitwiseCopyable {
  /// Those that have their end.
  private(set) var settled: UInt32 = 0
  /// Those of them that never arrived.
  private(set) var lost: UInt32 = 0
  /// The worst class of these; 0 without any.
  private var worstClass: UInt8 = 0

  /// The share that never arrived, 0 to 1.
  var share: Double { settled == 0 ? 0 : Double(lost) / Double(settled) }

  var worst: MarkClass? { MarkClass(rawValue: worstClass) }

  /// - Parameter code: a `MarkCode`.
  @inline(__always)
  mutating func add(_ code: UInt16) {
    let markClass = UInt8(truncatingIfNeeded: code >> MarkCode.shift)
    if markClass == MarkClass.pending.rawValue { return }
    settled &+= 1
    guard markClass >= MarkClass.leastLoss.rawValue else { return }
    lost &+= 1
    worstClass = max(worstClass, markClass)
  }

  /// Adds sums, for a metric.
  mutating func add(_ counts: StateCounts, of metric: Metric) {
    if metric == .shown, counts.unseen > 0 {
      lost &+= UInt32(clamping: counts.unseen)
      worstClass = max(worstClass, MarkClass.unseen.rawValue)
    }
    settled &+= UInt32(clamping: counts.settled)
    for state in NotificationState.allCases where counts[state] > 0 {
      guard let markClass = MarkClass(state), markClass.isLoss else { continue }
      lost &+= UInt32(clamping: counts[state])
      worstClass = max(worstClass, markClass.rawValue)
    }
  }
}

/// What is counted by columns of cells while dots are set.
struct ColumnTallies {
  let outcomes: UnsafeMutableBufferPointer<ColumnOutcome>
  let present: UnsafeMutableBufferPointer<UInt32>
  let spread: UnsafeMutableBufferPointer<UInt32>
}

extension RasterPlanes {
  /// Sets the dots of nearly equal values, in a range of columns of dots inside the raster.
  /// - Parameter share: how many of them each column of cells has: the count is divided among those that the sum covers, inside
  ///   and outside, with at least one in each.
  func fill(
    _ dotColumns: ClosedRange<Int>, with bucket: DensityBucket, share: UInt32, from lowest: Int,
    to highest: Int,
    code: UInt16, phase: Int, lane: Int
  ) {
    let cells = (dotColumns.lowerBound >> columnShift)...(dotColumns.upperBound >> columnShift)
    let middle = bucket.middle
    for column in cells {
      let run = lane * runs + (column + phase) / DotRaster.medianColumns
      rowCounts[run * (dotRows + 2) + (lowest + highest) / 2 + 1] &+= share
      tallies.present[lane * columns + column] &+= share
      if lane == 0, !tallies.spread.isEmpty {
        tallies.spread[column * (dotRows + 2) + (lowest + highest) / 2 + 1] &+= share
      }
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
        if places > 1 { self.share(rowShare, of: code, in: cell) }
      }
      let placeInRow = (fromTop & (1 << rowShift - 1)) << columnShift
      for dotColumn in dotColumns {
        let place = placeInRow | dotColumn & (1 << columnShift - 1)
        dots[firstCell + (dotColumn >> columnShift)] |= 1 << UInt8(truncatingIfNeeded: place)
      }
    }
  }
}
