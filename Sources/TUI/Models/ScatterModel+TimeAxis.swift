import ConstraintAnimation
import Measurement

extension ScatterModel {
  /// The axis of time, its marks, and what happened to connections meanwhile.
  func drawTimeAxis(_ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let left = ScatterGeometry.gutter
    let y = geometry.axisRow
    picture.set(glyphs.lowerLeft, x: left - 1, y: y, style: appearance(.faint))
    picture.row(glyphs.horizontal, x: left, y: y, count: geometry.columns, style: appearance(.faint))
    // Where the axis's own row is written on.
    var taken = Array(repeating: false, count: geometry.width)
    for tick in TimeTicks.make(for: window, spacing: 14, in: zone) {
      let start =
        geometry.axisRows > 1 ? left + tick.column - tick.label.count / 2 : left + tick.column + 1
      guard start + tick.label.count <= geometry.width else { continue }
      picture.set(glyphs.teeDown, x: left + tick.column, y: y, style: appearance(.faint))
      let labelRow = y + geometry.axisRows - 1
      picture.put(tick.label, x: start, y: labelRow, style: appearance(.secondary))
      if geometry.axisRows == 1 {
        for column in start..<start + tick.label.count { taken[column] = true }
      }
    }
    drawEvents(&picture, &taken)
  }

  /// Marks on the axis with their names beside them, as far as these do not run into anything.
  private func drawEvents(_ picture: inout CellPicture, _ taken: inout [Bool]) {
    var worst: [Int: EventKind] = [:]
    for event in snapshot.events.lazy.map(\.row) {
      guard event.kind.axisLabel != nil, window.contains(event.at), concernsShownTarget(event) else {
        continue
      }
      let x = ScatterGeometry.gutter + window.column(of: event.at)
      // In one column what breaks a connection says more than what makes one.
      if worst[x]?.role != .warning || event.kind.role == .warning { worst[x] = event.kind }
    }
    let marks = worst.map { (x: $0.key, kind: $0.value) }.sorted { $0.x < $1.x }
    for mark in marks { taken[mark.x] = true }
    for mark in marks {
      let style = appearance(mark.kind.role)
      picture.set(appearance.glyphs.pointer, x: mark.x, y: geometry.axisRow, style: style)
      guard let label = mark.kind.axisLabel else { continue }
      let end = mark.x + 1 + label.count
      guard end < geometry.width, !taken[mark.x + 1...end].contains(true) else { continue }
      picture.put(label, x: mark.x + 1, y: geometry.axisRow, style: style)
      for column in mark.x + 1...end { taken[column] = true }
    }
  }

  private func concernsShownTarget(_ event: Event) -> Bool {
    guard let target = event.target else { return true }
    return targets.contains { snapshot.targets.indices.contains($0) && snapshot.targets[$0].id == target }
  }
}
