import ConstraintAnimation
import Measurement
import Store

/// The axis of latencies with its labels, the grid behind the marks, and the threshold.
struct LatencyAxisModel {
  let axis: LatencyAxis
  /// µs.
  let threshold: Int64?
  let geometry: ScatterGeometry
  let appearance: Appearance

  func draw(_ picture: inout CellPicture) {
    let x = ScatterGeometry.gutter - 1
    for y in geometry.firstRow..<geometry.axisRow {
      picture.set(appearance.glyphs.vertical, x: x, y: y, style: appearance(.faint))
    }
    var free = Set(geometry.firstRow..<geometry.axisRow)
    // Decades go first, where not all labels have a row of their own.
    for tick in ticks.sorted(by: { Self.rank($0) < Self.rank($1) }) {
      guard let y = row(of: tick.value), free.remove(y) != nil else { continue }
      picture.set(appearance.glyphs.teeLeft, x: x, y: y, style: appearance(.faint))
      let label = FittedText.padded(tick.label, columns: x - 1)
      picture.put(label, x: 0, y: y, style: appearance(.secondary))
      drawGrid(y, &picture)
    }
  }

  /// Labels 1-2-5 of each decade where every second row is enough for them.
  private var ticks: [LatencyTick] {
    let most = max(2, geometry.rows / 2 + 1)
    let ticks = LatencyTicks.make(for: axis, most: most)
    guard axis.kind == .logarithmic, ticks.count < most, axis.upper / 10 >= axis.lower else { return ticks }
    // Digits from 1 to 9 are too close to each other at the upper end of a decade.
    let round = LatencyTicks.round(for: axis)
    return round.count > ticks.count && round.count < geometry.rows ? round : ticks
  }

  private static func leading(_ value: Int64) -> Int64 {
    var value = value
    while value >= 10 { value /= 10 }
    return value
  }

  private static func rank(_ tick: LatencyTick) -> Int {
    switch leading(tick.value) {
    case 1: 0
    case 2, 5: 1
    default: 2
    }
  }

  private func drawGrid(_ y: Int, _ picture: inout CellPicture) {
    let glyph = appearance.glyphs.grid
    guard glyph != 0, appearance.hasManyColors else { return }
    picture.row(glyph, x: ScatterGeometry.gutter, y: y, count: geometry.columns, style: appearance(.grid))
  }

  /// Draws the threshold behind the marks, with its value beside the axis.
  func drawThreshold(_ picture: inout CellPicture) {
    guard let threshold, let y = row(of: threshold) else { return }
    let style = appearance(.threshold)
    let left = ScatterGeometry.gutter
    picture.row(appearance.glyphs.threshold, x: left, y: y, count: geometry.columns, style: style)
    let label = FittedText.padded(LatencyText.text(threshold), columns: left - 2)
    picture.put(label, x: 0, y: y, style: style)
    picture.set(appearance.glyphs.teeLeft, x: left - 1, y: y, style: style)
  }

  /// The row of cells of a latency, from the top of the picture.
  private func row(of value: Int64) -> Int? {
    axis.row(of: value, rows: geometry.rows * appearance.glyphs.dots.rows).map {
      geometry.axisRow - 1 - $0 / appearance.glyphs.dots.rows
    }
  }
}

/// The axis of time with its labels and the marks of events.
struct TimeAxisModel {
  let marks: ArraySlice<AxisMarks.Mark>
  let window: TimeWindow
  let geometry: ScatterGeometry
  let appearance: Appearance
  let zone: LocalTime
  /// Columns at the left end of the row of labels that something else is drawn in.
  var reservedColumns = 0

  func draw(_ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let left = ScatterGeometry.gutter
    let y = geometry.axisRow
    picture.set(glyphs.lowerLeft, x: left - 1, y: y, style: appearance(.faint))
    drawZone(&picture)
    picture.row(glyphs.horizontal, x: left, y: y, count: geometry.columns, style: appearance(.faint))
    let marks = eventMarks
    // Columns of the axis row that are taken.
    var taken = Array(repeating: false, count: geometry.width)
    for mark in marks { taken[mark.x] = true }
    for tick in ticks {
      let hasOwnRow = geometry.axisRows > 1
      let start = hasOwnRow ? left + tick.column - tick.label.count / 2 : left + tick.column + 1
      let end = start + tick.label.count
      guard end <= geometry.width, hasOwnRow || !taken[start - 1..<end].contains(true) else { continue }
      picture.set(glyphs.teeDown, x: left + tick.column, y: y, style: appearance(.faint))
      guard start > reservedColumns || reservedColumns == 0 else { continue }
      picture.put(tick.label, x: start, y: y + geometry.axisRows - 1, style: appearance(.secondary))
      if !hasOwnRow { for column in start..<end { taken[column] = true } }
    }
    draw(marks, &picture, &taken)
  }

  /// The zone of all times on the screen, at the left of the axis.
  private func drawZone(_ picture: inout CellPicture) {
    let name = FindingsModel.plain(zone.shortName(at: window.end), appearance)
    let label = FittedText.padded(name, columns: ScatterGeometry.gutter - 2)
    picture.put(label, x: 0, y: geometry.axisRow, style: appearance(.secondary))
  }

  /// Ticks with times; in a window of more than one day, the first of each day has its date instead.
  private var ticks: [TimeTick] {
    let ticks = TimeTicks.make(for: window, spacing: 14, in: zone)
    func day(_ column: Int) -> CivilTime {
      zone.civil(window.start + window.scale.columnDuration * column)
    }
    let (first, last) = (day(0), day(window.columns - 1))
    guard (first.year, first.month, first.day) != (last.year, last.month, last.day) else { return ticks }
    var before = first
    return ticks.enumerated().map { index, tick in
      let now = day(tick.column)
      defer { before = now }
      let isNew = index == 0 || (now.month, now.day) != (before.month, before.day)
      guard isNew, tick.label.contains(":") else { return tick }
      // Midnight needs no time.
      let isMidnight = now.hour == 0 && now.minute == 0
      let date = "\(now.monthName) \(now.day)"
      let label = isMidnight ? date : "\(date) \(now.hoursMinutes)"
      return TimeTick(column: tick.column, label: label + tick.offset)
    }
  }

  /// Draws marks with their labels, where these do not overlap anything.
  private func draw(_ marks: [EventMark], _ picture: inout CellPicture, _ taken: inout [Bool]) {
    for mark in marks {
      let style = appearance(mark.kind.role)
      picture.set(appearance.glyphs.pointer, x: mark.x, y: geometry.axisRow, style: style)
      guard let label = mark.note.map(annotationLabel) ?? mark.kind.axisLabel else { continue }
      let span = TextSpan(label, style)
      let end = mark.x + 1 + span.columns
      guard end < geometry.width, !taken[mark.x + 1...end].contains(true) else { continue }
      if mark.note == nil {
        picture.put(label, x: mark.x + 1, y: geometry.axisRow, style: style)
      } else {
        // A person's text: cells are made of it by the canvas, which knows widths.
        picture.lines.append(
          CellPicture.Line(x: mark.x + 1, y: geometry.axisRow, spans: [span], end: end))
      }
      for column in mark.x + 1...end { taken[column] = true }
    }
  }

  /// The beginning of an annotation.
  private func annotationLabel(_ note: String) -> String {
    FittedText.truncated(EscapedText.make(note), columns: 24, ellipsis: appearance.glyphs.ellipsis)
  }

  private struct EventMark {
    let x: Int
    let kind: EventKind
    let note: String?
  }

  /// The events in the window, at most one per column.
  private var eventMarks: [EventMark] {
    var worst: [Int: AxisMarks.Mark] = [:]
    for event in marks {
      let x = ScatterGeometry.gutter + window.column(of: event.at)
      // In one column, annotations win, then events with the role `warning`; of equal ones the last.
      if event.rank >= worst[x]?.rank ?? 0 { worst[x] = event }
    }
    return worst.map { EventMark(x: $0.key, kind: $0.value.kind, note: $0.value.note) }.sorted { $0.x < $1.x }
  }
}
