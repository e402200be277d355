import ConstraintAnimation
import Measurement

extension ScatterModel {
  func drawOverlay(_ picture: inout CellPicture) {
    drawSelection(&picture)
    if let box = overlay.box { draw(box, &picture) }
    if let crosshair = overlay.crosshair { draw(crosshair, &picture) }
  }

  /// By the arithmetic that places marks.
  var probe: PlotHitTester {
    PlotHitTester(
      snapshot: snapshot, window: window, targets: targets, metrics: metrics, axis: axis, geometry: geometry,
      dots: appearance.glyphs.dots)
  }

  /// Cells with selected notifications keep glyph and color and stand out by their background.
  private func drawSelection(_ picture: inout CellPicture) {
    guard let selection = overlay.selection else { return }
    let probe = probe
    for target in probe.targets {
      let track = snapshot.tracks[target]
      selection.forEach(of: track, in: track.range(from: window.start, to: window.end)) { _, point in
        let column = window.column(of: WallTime(microseconds: point.plannedAt))
        probe.forEachMark(of: point) { _, y in
          picture.restyle(x: ScatterGeometry.gutter + column, y: y) { appearance.selected($0) }
        }
      }
    }
  }

  private func draw(_ box: PlotBox, _ picture: inout CellPicture) {
    let left = ScatterGeometry.gutter
    for column in box.columns {
      for y in box.rows where column >= 0 && column < geometry.columns {
        picture.restyle(x: left + column, y: y) { appearance.boxed($0) }
      }
    }
  }

  /// Two lines through free cells, the nearest mark, and what it is.
  private func draw(_ place: PlotPosition, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let style = appearance(.crosshair)
    let left = ScatterGeometry.gutter
    func isFree(_ x: Int, _ y: Int) -> Bool {
      let glyph = picture.glyph(x: x, y: y)
      return glyph == 0x20 || glyph == glyphs.grid && glyphs.grid != 0 || glyph == 0x250A
    }
    for y in geometry.bandRow..<geometry.axisRow where isFree(left + place.column, y) {
      picture.set(glyphs.crosshairColumn, x: left + place.column, y: y, style: style)
    }
    for column in 0..<geometry.columns where isFree(left + column, place.y) {
      picture.set(glyphs.crosshairRow, x: left + column, y: place.y, style: appearance(.faint))
    }
    if let pick = overlay.pick, pick.column >= 0, pick.column < geometry.columns {
      picture.restyle(x: left + pick.column, y: pick.y) { style in
        var style = style
        style.attributes.insert([.reverse, .bold])
        return style
      }
    }
    drawLabel(at: place, &picture)
  }

  private func drawLabel(at place: PlotPosition, _ picture: inout CellPicture) {
    let left = ScatterGeometry.gutter
    var spans: [TextSpan]
    if let pick = overlay.pick {
      let target =
        snapshot.targets.count > 1 && snapshot.targets.indices.contains(pick.target)
        ? snapshot.targets[pick.target] : nil
      spans = NotificationText.spans(
        pick, target: target, now: snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil, zone: zone,
        appearance)
    } else {
      // Nothing near: where the crosshair itself stands.
      let value = Int64(axis.value(at: position(ofRow: place.y)).rounded())
      let time = zone.civil(
        window.start.advanced(byMicroseconds: Int64(place.column) * window.scale.columnDuration))
      spans = [
        TextSpan(DurationText.text(max(0, value)), appearance(.strong)),
        TextSpan("  \(time.hoursMinutesSeconds)", appearance(.secondary)),
      ]
    }
    let space = TextSpan(" ", .plain)
    spans = [space] + spans + [space]
    let width = TextSpan.columns(of: spans)
    // To the right of the lines where there is room, and not on them; never over the mark itself.
    let isRight = place.column + 2 + width <= geometry.columns
    let x = isRight ? place.column + 2 : max(0, place.column - 1 - width)
    var y = place.y > geometry.firstRow ? place.y - 1 : place.y + 1
    if let pick = overlay.pick, pick.y == y, x <= pick.column, pick.column < x + width {
      y = place.y > geometry.firstRow && place.y + 1 < geometry.axisRow ? place.y + 1 : place.y
    }
    picture.row(0x20, x: left + x, y: y, count: min(width, geometry.columns - x), style: .plain)
    picture.lines.append(CellPicture.Line(x: left + x, y: y, spans: spans, end: geometry.width))
  }

  /// Where the middle of a row of cells is on the axis of latencies.
  private func position(ofRow y: Int) -> Double {
    (Double(geometry.axisRow - 1 - y) + 0.5) / Double(max(1, geometry.rows))
  }
}
