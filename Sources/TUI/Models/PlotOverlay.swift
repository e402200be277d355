import ConstraintAnimation
import Measurement
import Store

/// What points at the marks of one plot: a box, the crosshair.
struct ScatterOverlay: Sendable {
  var box: PlotBox?
  var crosshair: PlotPosition?
  /// The notification that the crosshair points at.
  var pick: PickedNotification?

  /// Where it may draw.
  func cells(of geometry: ScatterGeometry) -> CellRegion {
    let all = geometry.cells(of: 0..<geometry.columns)
    var region = CellRegion()
    func insert(_ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) {
      let left = ScatterGeometry.gutter
      let rect = CellRect(
        x0: left + columns.lowerBound, y0: rows.lowerBound, x1: left + columns.upperBound + 1,
        y1: rows.upperBound + 1)
      region.insert(rect.intersection(all))
    }
    if let box { insert(box.columns, box.rows) }
    if let crosshair {
      insert(crosshair.column...crosshair.column, all.y0...all.y1)
      insert(0...geometry.columns, crosshair.y...crosshair.y)
    }
    if let pick { insert(pick.column...pick.column, pick.y...pick.y) }
    return region
  }
}

/// Draws what points at the marks over them.
struct PlotOverlayModel {
  let overlay: ScatterOverlay
  let geometry: ScatterGeometry
  let appearance: Appearance

  func draw(_ picture: inout CellPicture) {
    if let box = overlay.box { draw(box, &picture) }
    if let crosshair = overlay.crosshair { draw(crosshair, &picture) }
  }

  private func draw(_ box: PlotBox, _ picture: inout CellPicture) {
    let (left, tint) = (ScatterGeometry.gutter, appearance.boxed)
    for column in box.columns {
      for y in box.rows where column >= 0 && column < geometry.columns {
        picture.restyle(x: left + column, y: y) { tint($0) }
      }
    }
  }

  /// Draws two lines through free cells, and highlights and labels the nearest mark.
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
  }
}

/// Gives cells with selected notifications a background, with the arithmetic that draws their marks.
struct SelectedMarks {
  let selection: Selection
  let hitTester: PlotHitTester
  let tint: CellTint

  func draw(_ picture: inout CellPicture, columns: Range<Int>) {
    let window = hitTester.window
    let time = window.time(of: columns)
    for target in hitTester.targets {
      let track = hitTester.snapshot.tracks[target]
      selection.forEach(of: track, in: track.range(from: time.from, to: time.to)) { _, point in
        let column = window.column(of: WallTime(microseconds: point.plannedAt))
        hitTester.forEachMark(of: point) { _, y in
          picture.restyle(x: ScatterGeometry.gutter + column, y: y) { tint($0) }
        }
      }
    }
  }
}

extension PlotScene {
  /// What is under the crosshair, for the title row; `nil` without a crosshair in this pane.
  /// - Parameter pick: the notification that it points at.
  func pointedAt(in pane: Int, _ pick: PickedNotification?) -> [TextSpan]? {
    guard let place = state.plot.crosshair, hasPointer, place.pane == pane, let axis = axis(of: pane) else {
      return nil
    }
    if let pick {
      let target =
        snapshot.targets.count > 1 && snapshot.targets.indices.contains(pick.target)
        ? snapshot.targets[pick.target] : nil
      let value = content.valueColors == nil ? nil : snapshot.values?.text(of: pick.point.valueNumber)
      return NotificationText.spans(
        pick, target: target, value: value ?? "",
        now: snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil, zone: zone,
        appearance)
    }
    // Without a near mark, the position of the crosshair.
    let position = (Double(geometry.axisRow - 1 - place.y) + 0.5) / Double(max(1, geometry.rows))
    let value = Int64(axis.value(at: position).rounded())
    let window = content.window
    let time = zone.civil(window.start + window.scale.columnDuration * place.column)
    return [
      TextSpan(LatencyText.text(max(0, value)), appearance(.strong)),
      TextSpan("  \(time.hoursMinutesSeconds)", appearance(.secondary)),
    ]
  }
}
