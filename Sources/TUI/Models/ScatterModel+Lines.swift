import ConstraintAnimation
import Measurement

extension ScatterModel {
  /// Behind the marks, with its value beside the axis.
  func drawThreshold(_ picture: inout CellPicture) {
    guard let threshold, let y = row(of: threshold) else { return }
    let style = appearance(.threshold)
    let left = ScatterGeometry.gutter
    picture.row(appearance.glyphs.threshold, x: left, y: y, count: geometry.columns, style: style)
    let label = FittedText.padded(DurationText.text(threshold), columns: left - 2)
    picture.put(label, x: 0, y: y, style: style)
    picture.set(appearance.glyphs.teeLeft, x: left - 1, y: y, style: style)
  }

  /// The running averages of each metric: the mean broken, the median whole and on top of it.
  func drawAverages(_ raster: DotRaster, _ lookup: RowLookup, _ picture: inout CellPicture) {
    let phase = raster.medianPhase(of: window)
    for lane in metrics.indices {
      if averages.showsMean {
        let line = RunningLine.mean(of: raster, phase: phase, lane: lane, lookup: lookup)
        draw(line, glyph: appearance.glyphs.mean, role: .mean, isBroken: true, raster, &picture)
      }
      if averages.showsMedian {
        let line = RunningLine.median(of: raster, phase: phase, lane: lane)
        draw(line, glyph: appearance.glyphs.median, role: .median, isBroken: false, raster, &picture)
      }
    }
  }

  /// Cells on the line keep their dots and take the line's color, unless they hold something worse than a delivery.
  private func draw(
    _ line: RunningLine, glyph: UInt32, role: Role, isBroken: Bool, _ raster: DotRaster,
    _ picture: inout CellPicture
  ) {
    let dots = appearance.glyphs.dots
    let edge = window.column(of: snapshot.edge)
    for column in 0..<geometry.columns where column <= edge {
      // Gaps are counted from 1970, so that they do not wander when the window steps.
      if isBroken, (window.firstColumn + Int64(column)) & 3 >= 2 { continue }
      var patterns: [Int: UInt8] = [:]
      for side in 0..<dots.columns {
        guard let row = line.rows[column * dots.columns + side] else { continue }
        let fromTop = raster.dotRows - 1 - row
        patterns[fromTop / dots.rows, default: 0] |= 1 << UInt8(fromTop % dots.rows * dots.columns + side)
      }
      for (row, pattern) in patterns {
        let cell = row * raster.columns + column
        let code = raster.codes[cell]
        let isWorse = MarkCode(rawValue: code).markClass.map { $0 >= .late } ?? false
        let (x, y) = (ScatterGeometry.gutter + column, geometry.firstRow + row)
        if dots.columns == 1 {
          if !isWorse { picture.set(glyph, x: x, y: y, style: appearance(role)) }
        } else if !(isWorse && appearance.marksNeedGlyphs) {
          let style =
            isWorse
            ? appearance.mark(code, level: Appearance.level(of: raster.counts[cell])) : appearance(role)
          picture.set(dots.glyph(for: pattern | raster.dots[cell]), x: x, y: y, style: style)
        }
      }
    }
  }
}
