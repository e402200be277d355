/// A running average as a line of dots, read off what the raster counted. It ends where values do.
struct RunningLine {
  /// Row of dots from the bottom for each column of dots; `nil` where too few values are near.
  let rows: [Int?]

  /// Fewer values than this have no middle worth drawing.
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

  /// The mean of each run of columns; values off the scale count as what they are.
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
      // At either end of a stretch the line goes on level through half a run.
      case (let from?, nil): return share < 0.5 ? from : nil
      case (nil, let to?): return share >= 0.5 ? to : nil
      case (nil, nil): return nil
      }
    }
  }

  /// The row of the middle value of a run of columns; `nil` when it is off the axis or has too few values.
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
