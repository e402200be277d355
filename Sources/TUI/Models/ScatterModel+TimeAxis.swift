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
    let marks = eventMarks
    // Where the axis's own row is written on.
    var taken = Array(repeating: false, count: geometry.width)
    for mark in marks { taken[mark.x] = true }
    for tick in TimeTicks.make(for: window, spacing: 14, in: zone) {
      let hasOwnRow = geometry.axisRows > 1
      let start = hasOwnRow ? left + tick.column - tick.label.count / 2 : left + tick.column + 1
      let end = start + tick.label.count
      guard end <= geometry.width, hasOwnRow || !taken[start - 1..<end].contains(true) else { continue }
      picture.set(glyphs.teeDown, x: left + tick.column, y: y, style: appearance(.faint))
      picture.put(tick.label, x: start, y: y + geometry.axisRows - 1, style: appearance(.secondary))
      if !hasOwnRow { for column in start..<end { taken[column] = true } }
    }
    draw(marks, &picture, &taken)
  }

  /// Marks on the axis with their names beside them, as far as these do not run into anything.
  private func draw(_ marks: [EventMark], _ picture: inout CellPicture, _ taken: inout [Bool]) {
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

  private struct EventMark {
    let x: Int
    let kind: EventKind
  }

  /// What happened in view, at most one in a column.
  private var eventMarks: [EventMark] {
    var worst: [Int: EventKind] = [:]
    for event in snapshot.axisMarks.marks(from: window.start, to: window.end) {
      guard concernsShownTarget(event) else { continue }
      let x = ScatterGeometry.gutter + window.column(of: event.at)
      // In one column what breaks a connection says more than what makes one.
      if worst[x]?.role != .warning || event.kind.role == .warning { worst[x] = event.kind }
    }
    return worst.map { EventMark(x: $0.key, kind: $0.value) }.sorted { $0.x < $1.x }
  }

  private func concernsShownTarget(_ event: AxisMarks.Mark) -> Bool {
    guard let target = event.target else { return true }
    return targets.contains { snapshot.targets.indices.contains($0) && snapshot.targets[$0].id == target }
  }
}
