/// A running average as a line of dots, computed from the raster's counts. It ends where the values end, and does not cross
/// a gap in which none came.
struct RunningLine {
  /// Row of dots from the bottom for each column of dots; `nil` where there are too few values nearby.
  let rows: [Int?]

  /// The number of values below which no average is drawn.
  static let leastValues = 3

  /// The columns of dots in which it has another row than an earlier line of the same length.
  /// - Parameter moved: columns of dots that the window has moved since.
  func differences(from earlier: RunningLine, moved: Int) -> [Int] {
    rows.indices.filter { column in
      let before = column + moved
      return !earlier.rows.indices.contains(before) || rows[column] != earlier.rows[before]
    }
  }

  /// The median of each run of columns.
  /// - Parameters:
  ///   - phase: see `DotRaster.medianPhase(of:)`.
  ///   - lane: which of the metrics.
  static func median(of raster: DotRaster, phase: Int, lane: Int = 0) -> RunningLine {
    let stride = raster.dotRows + 2
    return raster.read { planes in
      RunningLine(raster, phase: phase, lane: lane) { run in
        let first = (lane * raster.medianRuns + run) * stride
        return medianRow(of: UnsafeBufferPointer(planes.rowCounts.extracting(first..<first + stride)))
      }
    }
  }

  /// The mean of each run of columns; values off the scale count with their value.
  static func mean(of raster: DotRaster, phase: Int, lane: Int = 0, lookup: RowLookup) -> RunningLine {
    let stride = raster.dotRows + 2
    return raster.read { planes in
      RunningLine(raster, phase: phase, lane: lane) { run in
        let place = lane * raster.medianRuns + run
        let count = planes.rowCounts[place * stride..<(place + 1) * stride].reduce(0) { $0 + Int64($1) }
        guard count >= leastValues else { return nil }
        let row = lookup.row(of: planes.sums[place] / count)
        return row >= 0 && row < raster.dotRows ? row : nil
      }
    }
  }

  /// Whether each column lies in a stretch without a value that chance does not explain: longer than six times the distance
  /// that values have on average, and at least three columns.
  static func gaps(_ counts: ArraySlice<UInt32>) -> [Bool] {
    var gaps = Array(repeating: false, count: counts.count)
    guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 })
    else {
      return gaps
    }
    let total = counts.reduce(0) { $0 + Int($1) }
    let longest = max(2, 6 * (last - first + 1) / total)
    var start = first
    for column in first...last where counts[column] > 0 {
      if column - start - 1 > longest {
        for empty in start + 1..<column { gaps[empty - counts.startIndex] = true }
      }
      start = column
    }
    return gaps
  }

  /// Straight lines from the middle of one run to the middle of the next, from the first value to the last.
  private init(_ raster: DotRaster, phase: Int, lane: Int, row: (Int) -> Int?) {
    let present = raster.present[lane * raster.columns..<(lane + 1) * raster.columns]
    let gaps = Self.gaps(present)
    let first = (present.firstIndex { $0 > 0 } ?? present.startIndex) - present.startIndex
    let last = (present.lastIndex { $0 > 0 } ?? present.startIndex) - present.startIndex
    let averages = (0..<raster.medianRuns).map(row)
    let width = DotRaster.medianColumns * raster.encoding.columns
    let shift = phase * raster.encoding.columns
    rows = (0..<raster.dotColumns).map { column in
      let cell = column / raster.encoding.columns
      guard cell >= first, cell <= last, !gaps[cell] else { return nil }
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
  /// - Parameter counts: below the axis, of each row, and above it.
  private static func medianRow(of counts: UnsafeBufferPointer<UInt32>) -> Int? {
    var total = 0
    for count in counts { total &+= Int(count) }
    guard total >= leastValues else { return nil }
    var seen = 0
    let place = counts.firstIndex { count in
      seen &+= Int(count)
      return seen &* 2 >= total
    }
    return place.flatMap { $0 > 0 && $0 < counts.count - 1 ? $0 - 1 : nil }
  }
}
