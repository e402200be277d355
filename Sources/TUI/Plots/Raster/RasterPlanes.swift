import Measurement

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
    _ point: PlotPoint, _ projection: DotRaster.Projection, _ lookup: RowLookup.Reader, phase: Int,
    firstRun: Int
  ) {
    let code = projection.codes[point.state]
    if code == 0 { return }
    var value = point.rawValue(of: projection.metric)
    var isPending = false
    if value == PlotPoint.absent {
      guard point.state == .inFlight, let now = projection.pendingUntil else { return }
      isPending = true
      value = now - point.plannedMonotonic
    }
    let dotColumn = projection.dotColumn(of: point.plannedAt)
    guard dotColumn >= 0 && dotColumn < dotColumns else { return }
    // A corrected latency may come out below nothing, and so may an age between two clocks.
    value = max(0, value)
    var row = lookup.row(of: value)
    // What has just been sent rises from the axis.
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
