/// The running median as a line of dots, read off what the raster counted.
struct MedianLine {
  /// Row of dots from the bottom for each column of dots; `nil` where too few values are near.
  let rows: [Int?]

  /// Fewer values than this have no middle worth drawing.
  static let leastValues = 3

  /// - Parameter phase: see `DotRaster.medianPhase(of:)`.
  init(of raster: DotRaster, phase: Int) {
    let medians = (0..<raster.medianRuns).map { Self.median(of: raster, run: $0) }
    let width = DotRaster.medianColumns * raster.encoding.columns
    let shift = phase * raster.encoding.columns
    rows = (0..<raster.dotColumns).map { column in
      // Straight lines from the middle of one run to the middle of the next.
      let place = Double(column + shift) + 0.5 - Double(width) / 2
      let left = Int((place / Double(width)).rounded(.down))
      let share = place / Double(width) - Double(left)
      let from = medians.indices.contains(left) ? medians[left] : nil
      let to = medians.indices.contains(left + 1) ? medians[left + 1] : nil
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
  private static func median(of raster: DotRaster, run: Int) -> Int? {
    let stride = raster.dotRows + 2
    let counts = raster.rowCounts[run * stride..<(run + 1) * stride]
    let total = counts.reduce(0) { $0 + Int($1) }
    guard total >= leastValues else { return nil }
    var seen = 0
    for (offset, count) in counts.enumerated() {
      seen += Int(count)
      if seen * 2 >= total {
        let row = offset - 1
        return row >= 0 && row < raster.dotRows ? row : nil
      }
    }
    return nil
  }
}
