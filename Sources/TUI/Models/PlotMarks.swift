import ConstraintAnimation
import Measurement

/// The dots of a plot: one mark for each notification, and marks at the edges for what is off the scale.
struct DotMarks {
  let raster: DotRaster
  let geometry: ScatterGeometry
  let appearance: Appearance

  func draw(_ picture: inout CellPicture, columns: Range<Int>) {
    let glyphs = appearance.glyphs
    let needsGlyphs = appearance.marksNeedGlyphs
    let hasPlaces = raster.places > 1
    let hasSigns = raster.places > appearance.distinctTargets
    raster.read { planes in
      picture.edit { cells in
        for row in 0..<raster.rows {
          let source = row * raster.columns
          let target = (geometry.firstRow + row) * cells.width + ScatterGeometry.gutter
          for column in columns {
            let code = planes.codes[source + column]
            if code == 0 { continue }
            let level = Appearance.level(of: planes.counts[source + column])
            var glyph = glyphs.dots.glyph(for: planes.dots[source + column])
            var style = appearance.mark(code, level: level)
            if !glyphs.density.isEmpty {
              glyph = glyphs.density[level * glyphs.density.count / Appearance.levels]
            }
            if let markClass = MarkCode(rawValue: code).markClass {
              if needsGlyphs, markClass >= .late {
                glyph = glyphs.symbol(of: markClass)
              } else if hasPlaces, markClass == .good {
                let most = Self.leaders(of: source + column, planes)
                style = self.style(of: most, level: level)
                if hasSigns, let sign = appearance.targetGlyph(most.first) { glyph = sign }
              }
            }
            cells.glyphs[target + column] = glyph
            cells.styles[target + column] = style
          }
        }
      }
    }
  }

  /// The two colors that most notifications of a cell have.
  private struct Leaders {
    var first = 0
    var second = 0
    var firstCount: UInt16 = 0
    var secondCount: UInt16 = 0
  }

  private static func leaders(of cell: Int, _ planes: RasterPlanes) -> Leaders {
    var leaders = Leaders()
    for place in 0..<planes.places {
      let count = planes.shares[cell * planes.places + place]
      if count > leaders.firstCount {
        (leaders.second, leaders.secondCount) = (leaders.first, leaders.firstCount)
        (leaders.first, leaders.firstCount) = (place, count)
      } else if count > leaders.secondCount {
        (leaders.second, leaders.secondCount) = (place, count)
      }
    }
    return leaders
  }

  /// Two colors are mixed by their shares, rounded to quarters.
  private func style(of leaders: Leaders, level: Int) -> CellStyle {
    let distinct = appearance.distinctTargets
    let quarters = Int(leaders.secondCount) * 4 / max(1, Int(leaders.firstCount) + Int(leaders.secondCount))
    guard appearance.hasManyColors, quarters > 0, leaders.first < distinct, leaders.second < distinct else {
      return appearance.mark(MarkCode(.good, target: leaders.first).rawValue, level: level)
    }
    // In the order of the targets, so that equal shares look alike everywhere.
    let (low, high) = (min(leaders.first, leaders.second), max(leaders.first, leaders.second))
    return quarters == 2
      ? appearance.mixture(of: low, with: high, quarters: 2, level: level)
      : appearance.mixture(of: leaders.first, with: leaders.second, quarters: 1, level: level)
  }

  func drawOffScale(_ picture: inout CellPicture, columns: Range<Int>) {
    let (above, below) = raster.read { (Array($0.above), Array($0.below)) }
    for column in columns {
      let x = ScatterGeometry.gutter + column
      if above[column] != 0 {
        let style = appearance.mark(above[column], level: Appearance.levels - 1)
        picture.set(appearance.glyphs.above, x: x, y: geometry.firstRow, style: style)
      }
      if below[column] != 0 {
        let style = appearance.mark(below[column], level: Appearance.levels - 1)
        picture.set(appearance.glyphs.below, x: x, y: geometry.axisRow - 1, style: style)
      }
    }
  }
}

/// A running average, and how it is drawn.
struct AverageLine {
  let line: RunningLine
  /// Where cells have no dots.
  let glyph: UInt32
  let role: Role
  /// Dashed.
  let isBroken: Bool
}

/// Running averages as lines of only their own dots. Where there are colors to shade with, the cell's density stays visible
/// behind the line; where there are not, the line leaves out the densest cell of each column.
struct AverageMarks {
  let raster: DotRaster
  let window: TimeWindow
  /// Where the newest notification can be, in columns of the window.
  let edge: Int
  let geometry: ScatterGeometry
  let appearance: Appearance

  func draw(_ average: AverageLine, _ picture: inout CellPicture, columns: Range<Int>) {
    raster.read { planes in
      for column in columns where column <= edge { draw(average, column, planes, &picture) }
    }
  }

  private func draw(
    _ average: AverageLine, _ column: Int, _ planes: RasterPlanes, _ picture: inout CellPicture
  ) {
    let (line, glyph) = (average.line, average.glyph)
    let dots = appearance.glyphs.dots
    // Gaps count from 1970, so that they do not move with the window.
    if average.isBroken, (window.firstColumn + Int64(column)) & 3 >= 2 { return }
    let cells = dots.cells(
      left: line.rows[column * dots.columns], right: line.rows[(column + 1) * dots.columns - 1],
      of: raster.dotRows)
    for (row, pattern) in cells {
      let cell = row * raster.columns + column
      let code = planes.codes[cell]
      if let markClass = MarkCode(rawValue: code).markClass, markClass >= .late { continue }
      var style = appearance(average.role)
      if planes.counts[cell] > 0 {
        let level = Appearance.level(of: planes.counts[cell])
        if let shade = appearance.shade(code, level: level, strength: Self.shade(of: level)) {
          style.background = shade
        } else if Self.isDensest(row, in: column, planes) {
          continue
        }
      }
      let (x, y) = (ScatterGeometry.gutter + column, geometry.firstRow + row)
      picture.set(dots.columns == 1 ? glyph : dots.glyph(for: pattern), x: x, y: y, style: style)
    }
  }

  /// Faint enough that the line stays a line, and does not become a slab.
  private static func shade(of level: Int) -> Double {
    0.1 + 0.25 * Double(level) / Double(Appearance.levels - 1)
  }

  private static func isDensest(_ row: Int, in column: Int, _ planes: RasterPlanes) -> Bool {
    let count = planes.counts[row * planes.columns + column]
    return stride(from: column, to: planes.counts.count, by: planes.columns).allSatisfy {
      planes.counts[$0] <= count
    }
  }
}
