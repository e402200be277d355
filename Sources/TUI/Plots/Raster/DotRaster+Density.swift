import Measurement

extension DotRaster {
  /// Sets the dots of sums: each bucket in all columns and rows that it covers, counted in the cells where it stands.
  mutating func plot(_ columns: ArraySlice<Density.Column>, _ projection: Projection) {
    guard self.columns > 0, rows > 0, projection.lane < lanes else { return }
    let phase = medianPhase(of: projection.window)
    // Nobody knows which of them were late: they have the color of those that were not.
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
  /// Sets the dots of some values that are nearly the same, in a stretch of columns of dots inside the raster.
  func fill(
    _ dotColumns: ClosedRange<Int>, with bucket: DensityBucket, from lowest: Int, to highest: Int,
    code: UInt8,
    phase: Int, firstRun: Int
  ) {
    let cells = (dotColumns.lowerBound >> columnShift)...(dotColumns.upperBound >> columnShift)
    // As many as there are shared out; one at least, because something was there.
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
