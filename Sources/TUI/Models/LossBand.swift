import ConstraintAnimation
import Measurement

/// The rows above the marks: which share of each column's notifications never arrived, or for the time until shown were never shown, as a
/// bar of true size in the color of the worst class; without colors its letter stands below.
struct LossBand {
  let outcomes: [ColumnOutcome]
  let geometry: ScatterGeometry
  let appearance: Appearance

  func draw(_ picture: inout CellPicture, columns: Range<Int>) {
    for column in columns {
      guard let worst = outcomes[column].worst else { continue }
      draw(outcomes[column], worst, x: ScatterGeometry.gutter + column, &picture)
    }
  }

  /// `never` over `arrived` or `shown`, where there are two rows.
  static func drawAxis(
    _ metric: Metric, _ geometry: ScatterGeometry, _ appearance: Appearance, _ picture: inout CellPicture
  ) {
    let x = ScatterGeometry.gutter - 1
    let isShown = metric == .shown
    let words =
      geometry.bandRows > 1 ? ["never", isShown ? "shown" : "arrived"] : [isShown ? "%unseen" : "% lost"]
    for (row, word) in words.enumerated() {
      let y = geometry.bandRow + row
      picture.set(
        row == words.count - 1 ? appearance.glyphs.teeLeft : appearance.glyphs.vertical, x: x, y: y,
        style: appearance(.faint))
      picture.put(FittedText.padded(word, columns: x - 1), x: 0, y: y, style: appearance(.secondary))
    }
  }

  private func draw(_ outcome: ColumnOutcome, _ worst: MarkClass, x: Int, _ picture: inout CellPicture) {
    var style = appearance(Role(worst))
    guard appearance.marksNeedGlyphs else {
      drawBar(outcome.share, rows: geometry.bandRow...geometry.lossRow, x: x, style, &picture)
      return
    }
    style.attributes.remove(.reverse)
    if geometry.bandRows > 1 {
      drawBar(outcome.share, rows: geometry.bandRow...geometry.lossRow - 1, x: x, style, &picture)
    } else if outcome.share >= 0.5 {
      // A letter alone has no size.
      style.attributes.insert(.reverse)
    }
    picture.set(appearance.glyphs.symbol(of: worst), x: x, y: geometry.lossRow, style: style)
  }

  /// Fills rows from below. A share above 0 is always visible, and only all of a column fills its full height.
  private func drawBar(
    _ share: Double, rows: ClosedRange<Int>, x: Int, _ style: CellStyle, _ picture: inout CellPicture
  ) {
    let glyphs = appearance.glyphs
    let whole = rows.count * 8
    let level = share >= 1 ? whole : min(whole - 1, Int((share * Double(whole)).rounded()))
    let filled = max(glyphs.smallestBar, level)
    for (place, y) in rows.reversed().enumerated() {
      let eighths = min(max(filled - place * 8, 0), 8)
      if eighths > 0 { picture.set(glyphs.bars[eighths], x: x, y: y, style: style) }
    }
  }
}
