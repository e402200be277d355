import ConstraintAnimation
import Measurement

/// The 50th, 90th and 99th percentile of each column as lines, with shades between them: what is to be seen where a column
/// holds too many notifications for dots.
struct PercentileBands {
  let raster: DotRaster
  /// The index of the color.
  let place: Int
  let geometry: ScatterGeometry
  let appearance: Appearance

  static let quantiles: [Quantile] = [.p50, .p90, .p99]

  /// Rows of dots from the bottom, by quantile; those beyond the axis are at its ends.
  private func rows(of column: Int) -> [Int]? {
    raster.read { planes in
      let stride = raster.dotRows + 2
      return rows(planes.tallies.spread.extracting(column * stride..<(column + 1) * stride))
    }
  }

  /// - Parameter counts: the values of a column, below the axis, of each row, and above it.
  private func rows(_ counts: UnsafeMutableBufferPointer<UInt32>) -> [Int]? {
    let total = counts.reduce(0) { $0 + Int($1) }
    guard total > 0 else { return nil }
    var rows: [Int] = []
    var seen = 0
    for (offset, count) in counts.enumerated() {
      seen += Int(count)
      while rows.count < Self.quantiles.count, seen >= Self.quantiles[rows.count].rank(among: total) {
        rows.append(min(max(offset - 1, 0), raster.dotRows - 1))
      }
    }
    return rows
  }

  /// - Parameter columns: those to draw. A line comes from the column before, so after a change two columns look different.
  func draw(_ picture: inout CellPicture, columns: Range<Int>) {
    var before = columns.lowerBound > 0 ? rows(of: columns.lowerBound - 1) : nil
    for column in columns {
      let now = rows(of: column)
      defer { before = now }
      guard let now else { continue }
      draw(now, after: before ?? now, column, &picture)
    }
  }

  private func draw(_ now: [Int], after before: [Int], _ column: Int, _ picture: inout CellPicture) {
    let dots = appearance.glyphs.dots
    let x = ScatterGeometry.gutter + column
    func cell(_ row: Int) -> Int { (raster.dotRows - 1 - row) / dots.rows }
    // Between two percentiles, their own cells left out where a shade is a glyph.
    for (place, strength) in [(0, 0.5), (1, 0.25)] {
      let (bottom, top) = (cell(now[place]), cell(now[place + 1]))
      guard top <= bottom else { continue }
      for row in top...bottom { shade(row, x: x, strength: strength, &picture) }
    }
    // The median is drawn last, on top.
    for place in Self.quantiles.indices.reversed() {
      let left = dots.columns > 1 ? (now[place] + before[place]) / 2 : now[place]
      for (row, pattern) in dots.cells(left: left, right: now[place], of: raster.dotRows) {
        let y = geometry.firstRow + row
        var style = style(of: place)
        style.background = picture.background(x: x, y: y)
        let isASCII = dots.columns == 1 && dots.rows == 1
        let glyph = isASCII ? glyphs[place] : dots.glyph(for: pattern)
        picture.set(glyph, x: x, y: y, style: style)
      }
    }
  }

  private var glyphs: [UInt32] { PercentileLegend.glyphs(appearance) }

  private func shade(_ row: Int, x: Int, strength: Double, _ picture: inout CellPicture) {
    let code = MarkCode(.good, target: place).rawValue
    let y = geometry.firstRow + row
    if let shade = appearance.shade(code, level: Appearance.levels / 2, strength: strength) {
      picture.set(0x20, x: x, y: y, style: CellStyle(background: shade))
    } else {
      let shades = appearance.glyphs.shades
      picture.set(strength > 0.3 ? shades[1] : shades[0], x: x, y: y, style: appearance.target(place))
    }
  }

  private func style(of quantile: Int) -> CellStyle {
    PercentileLegend(place: place, geometry: geometry, appearance: appearance).style(of: quantile)
  }
}

/// Names the lines of percentiles below the axis.
struct PercentileLegend {
  /// The index of the color.
  let place: Int
  let geometry: ScatterGeometry
  let appearance: Appearance

  static func glyphs(_ appearance: Appearance) -> [UInt32] {
    [appearance.glyphs.median, appearance.glyphs.p90, appearance.glyphs.p99]
  }

  func style(of quantile: Int) -> CellStyle {
    switch quantile {
    case 0: appearance(.median)
    case 1: appearance.mark(MarkCode(.good, target: place).rawValue, level: Appearance.levels - 1)
    default: appearance.mark(MarkCode(.good, target: place).rawValue, level: Appearance.levels / 2)
    }
  }

  private static let names = ["50", "90", "99"]

  /// Columns that labels of the axis keep away from.
  var columns: Int { Self.names.reduce(0) { $0 + $1.count + 1 } - (appearance.isASCII ? 0 : 1) }

  /// `50 90 99` in the colors of their lines, as wide as the axis' labels.
  func draw(_ picture: inout CellPicture) {
    let glyphs = Self.glyphs(appearance)
    var x = 0
    for (place, text) in Self.names.enumerated() {
      if appearance.isASCII {
        picture.set(glyphs[place], x: x, y: geometry.height - 1, style: style(of: place))
        x += 1
      }
      picture.put(text, x: x, y: geometry.height - 1, style: style(of: place))
      x += text.count + (appearance.isASCII ? 0 : 1)
    }
  }
}
