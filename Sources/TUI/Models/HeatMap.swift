import ConstraintAnimation
import Measurement
import Store

/// Minute × latency: how each minute's notifications are distributed over latencies, the same colors for the same share.
struct MinuteHeatMap {
  let raster: DotRaster
  let window: TimeWindow
  let place: Int
  let geometry: ScatterGeometry
  let appearance: Appearance

  /// Length of the stretches that are summed up: a minute, ten seconds or one where a window has fewer than twenty
  /// minutes, and a column where that is longer.
  static func stretch(of window: TimeWindow) -> Duration {
    let stretches: [Duration] = [.minutes(1), .seconds(10), .seconds(1)]
    return max(stretches.first { window.duration >= $0 * 20 } ?? .zero, window.scale.columnDuration)
  }

  /// The columns of each stretch.
  static func stretches(of window: TimeWindow) -> [Range<Int>] {
    let columns = Int(stretch(of: window).microseconds / window.scale.columnMicroseconds)
    let phase = Int(
      window.firstColumn - window.firstColumn.flooringDivision(by: Int64(columns)) * Int64(columns))
    return stride(from: -phase, to: window.columns, by: columns).map { first in
      max(0, first)..<min(window.columns, first + columns)
    }
  }

  /// - Parameter columns: those to draw; of a stretch all or none.
  func draw(_ picture: inout CellPicture, columns: Range<Int>) {
    for stretch in Self.stretches(of: window) where stretch.overlaps(columns) { draw(stretch, &picture) }
  }

  private func draw(_ columns: Range<Int>, _ picture: inout CellPicture) {
    let stride = raster.dotRows + 2
    let dotsInRow = raster.encoding.rows
    var counts = Array(repeating: 0, count: raster.rows)
    var total = 0
    raster.read { planes in
      for column in columns {
        for (offset, count) in planes.tallies.spread[column * stride..<(column + 1) * stride].enumerated()
        where count > 0 {
          total += Int(count)
          let row = offset - 1
          if row >= 0, row < raster.dotRows { counts[(raster.dotRows - 1 - row) / dotsInRow] += Int(count) }
        }
      }
    }
    guard total > 0 else { return }
    for (row, count) in counts.enumerated() where count > 0 {
      let (glyph, style) = HeatShade(share: Double(count) / Double(total)).cell(of: place, appearance)
      picture.row(
        glyph, x: ScatterGeometry.gutter + columns.lowerBound, y: geometry.firstRow + row,
        count: columns.count,
        style: style)
    }
  }
}

/// A step of a heat map's colors.
struct HeatShade: Sendable, Hashable {
  /// 0 to 1.
  let strength: Double

  /// - Parameter fraction: 0 to 1.
  init(fraction: Double) { strength = min(max(fraction, 0), 1) }

  /// Shares below 1 % and above 50 % look alike; a step for each doubling between them.
  init(share: Double) {
    var bound = 0.01
    var step = 0.0
    while share > bound, step < 6 {
      bound *= 2
      step += 1
    }
    self.init(fraction: step / 6)
  }

  func cell(of place: Int, _ appearance: Appearance) -> (glyph: UInt32, style: CellStyle) {
    let level = Int((strength * Double(Appearance.levels - 1)).rounded())
    let code = MarkCode(.good, target: place).rawValue
    if let shade = appearance.shade(code, level: level, strength: 0.25 + 0.75 * strength) {
      return (0x20, CellStyle(background: shade))
    }
    let shades = appearance.glyphs.shades
    return (
      shades[Int((strength * Double(shades.count - 1)).rounded())], appearance.target(place)
    )
  }
}
