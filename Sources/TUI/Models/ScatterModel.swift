import ConstraintAnimation
import Measurement
import Store

/// The plot of latency over time as cells: a pure function of its properties.
struct ScatterModel {
  let snapshot: Snapshot
  let window: TimeWindow
  let targets: [Int]
  /// Plotted on top of one another; the quantiles are those of the first.
  let metrics: [Metric]
  let axis: LatencyAxis
  /// Whether nothing was planned in the window.
  let isEmpty: Bool
  /// Whether a part of the window has not been read yet.
  let isReading: Bool
  let colors: SeriesColors
  let averages: AverageLines
  /// µs.
  let threshold: Int64?
  let overlay: ScatterOverlay
  /// Whether the newest edge is in the window and moves.
  let isLive: Bool
  let title: FittedLine
  let appearance: Appearance
  let zone: LocalTime
  let geometry: ScatterGeometry

  /// - Parameter raster: scratch space, reused between frames.
  func picture(_ raster: inout DotRaster) -> CellPicture {
    var picture = CellPicture(width: geometry.width, height: geometry.height)
    drawTitle(&picture)
    guard geometry.rows > 0, geometry.columns > 0 else { return picture }
    let dots = appearance.glyphs.dots
    raster.reset(columns: geometry.columns, rows: geometry.rows, encoding: dots, lanes: metrics.count)
    let lookup = RowLookup(axis: axis, rows: raster.dotRows)
    plot(into: &raster, lookup)
    let ticks = LatencyTicks.make(for: axis, most: max(2, geometry.rows / 2 + 1))
    drawAxis(ticks, &picture)
    drawGrid(ticks, &picture)
    drawNow(&picture)
    drawThreshold(&picture)
    drawDots(raster, &picture)
    drawAverages(raster, lookup, &picture)
    drawOffScale(raster, &picture)
    drawBand(&picture)
    drawTimeAxis(&picture)
    drawHint(&picture)
    drawOverlay(&picture)
    return picture
  }

  private func plot(into raster: inout DotRaster, _ lookup: RowLookup) {
    // The ages of pending ones are not known once the collector is silent.
    let now = snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil
    for (lane, metric) in metrics.enumerated() {
      for target in targets where snapshot.tracks.indices.contains(target) {
        let track = snapshot.tracks[target]
        let projection = DotRaster.Projection(
          window: window, lookup: lookup, metric: metric,
          codes: colors.codes(target: target, metric: metric),
          // A pending notification is drawn for the first metric only.
          pendingUntil: lane == 0 ? now : nil, dotColumns: raster.encoding.columns, lane: lane)
        if let density = snapshot.density {
          // A column that began before the window may extend into it.
          let start = window.start.advanced(byMicroseconds: -max(density.span, window.scale.columnDuration))
          raster.plot(density.columns(of: target, from: start, to: window.end), projection)
        }
        track.forEachRun(in: track.range(from: window.start, to: window.end)) { raster.plot($0, projection) }
      }
    }
  }

  private func drawTitle(_ picture: inout CellPicture) {
    picture.row(
      appearance.glyphs.horizontal, x: 0, y: 0, count: geometry.width, style: appearance(.faint))
    TitleRow.add(title, to: &picture)
  }

  /// The row of cells of a latency, from the top of the picture.
  func row(of value: Int64) -> Int? {
    axis.row(of: value, rows: geometry.rows * appearance.glyphs.dots.rows).map {
      geometry.axisRow - 1 - $0 / appearance.glyphs.dots.rows
    }
  }

  private func drawAxis(_ ticks: [LatencyTick], _ picture: inout CellPicture) {
    let x = ScatterGeometry.gutter - 1
    for y in geometry.bandRow..<geometry.axisRow {
      picture.set(appearance.glyphs.vertical, x: x, y: y, style: appearance(.faint))
    }
    for tick in ticks {
      guard let y = row(of: tick.value) else { continue }
      picture.set(appearance.glyphs.teeLeft, x: x, y: y, style: appearance(.faint))
      let label = FittedText.padded(tick.label, columns: x - 1)
      picture.put(label, x: 0, y: y, style: appearance(.secondary))
    }
    picture.set(appearance.glyphs.teeLeft, x: x, y: geometry.bandRow, style: appearance(.faint))
    picture.put(
      FittedText.padded("loss", columns: x - 1), x: 0, y: geometry.bandRow, style: appearance(.secondary))
  }

  private func drawGrid(_ ticks: [LatencyTick], _ picture: inout CellPicture) {
    let glyph = appearance.glyphs.grid
    guard glyph != 0, appearance.hasManyColors else { return }
    for y in ticks.compactMap({ row(of: $0.value) }) {
      picture.row(glyph, x: ScatterGeometry.gutter, y: y, count: geometry.columns, style: appearance(.grid))
    }
  }

  /// Draws the newest edge.
  private func drawNow(_ picture: inout CellPicture) {
    guard isLive, appearance.glyphs.grid != 0, appearance.hasManyColors else { return }
    let column = window.column(of: snapshot.edge)
    guard column >= 0, column < geometry.columns - 1 else { return }
    for y in geometry.firstRow..<geometry.axisRow {
      picture.set(0x250A, x: ScatterGeometry.gutter + column, y: y, style: appearance(.grid))
    }
  }

  private func drawDots(_ raster: DotRaster, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let needsGlyphs = appearance.marksNeedGlyphs
    picture.edit { cells in
      for row in 0..<raster.rows {
        let source = row * raster.columns
        let target = (geometry.firstRow + row) * cells.width + ScatterGeometry.gutter
        for column in 0..<raster.columns {
          let code = raster.codes[source + column]
          if code == 0 { continue }
          let level = Appearance.level(of: raster.counts[source + column])
          var glyph = glyphs.dots.glyph(for: raster.dots[source + column])
          if !glyphs.density.isEmpty {
            glyph = glyphs.density[level * glyphs.density.count / Appearance.levels]
          }
          if needsGlyphs, let markClass = MarkCode(rawValue: code).markClass, markClass >= .late {
            glyph = glyphs.symbol(of: markClass)
          }
          cells.glyphs[target + column] = glyph
          cells.styles[target + column] = appearance.mark(code, level: level)
        }
      }
    }
  }

  private func drawOffScale(_ raster: DotRaster, _ picture: inout CellPicture) {
    for column in 0..<geometry.columns {
      let x = ScatterGeometry.gutter + column
      if raster.above[column] != 0 {
        let style = appearance.mark(raster.above[column], level: Appearance.levels - 1)
        picture.set(appearance.glyphs.above, x: x, y: geometry.firstRow, style: style)
      }
      if raster.below[column] != 0 {
        let style = appearance.mark(raster.below[column], level: Appearance.levels - 1)
        picture.set(appearance.glyphs.below, x: x, y: geometry.axisRow - 1, style: style)
      }
    }
  }

  /// Draws one mark per column: the worst notification without a latency.
  private func drawBand(_ picture: inout CellPicture) {
    var worst = Array(repeating: UInt8(0), count: geometry.columns)
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      track.forEachRun(in: track.range(from: window.start, to: window.end)) { run in
        for point in run where point.state.rawValue >= NotificationState.lost.rawValue {
          guard let markClass = MarkClass(point.state), markClass.isLoss else { continue }
          let column = window.column(of: WallTime(microseconds: point.plannedAt))
          if worst.indices.contains(column) {
            worst[column] = max(worst[column], MarkCode(markClass, target: target).rawValue)
          }
        }
      }
    }
    markSums(&worst)
    for (column, code) in worst.enumerated() {
      guard let markClass = MarkCode(rawValue: code).markClass else { continue }
      picture.set(
        appearance.glyphs.symbol(of: markClass), x: ScatterGeometry.gutter + column, y: geometry.bandRow,
        style: appearance(Role(markClass)))
    }
  }

  /// Marks losses that are only known as sums, in the middle of their column.
  private func markSums(_ worst: inout [UInt8]) {
    guard let density = snapshot.density else { return }
    let losses = NotificationState.allCases.compactMap { state in
      MarkClass(state).flatMap { $0.isLoss ? (state: state, markClass: $0) : nil }
    }
    for target in targets {
      for sums in density.columns(of: target, from: window.start, to: window.end) {
        let column = window.column(of: WallTime(microseconds: sums.start + sums.duration / 2))
        guard worst.indices.contains(column) else { continue }
        for loss in losses where sums.counts[loss.state] > 0 {
          worst[column] = max(worst[column], MarkCode(loss.markClass, target: target).rawValue)
        }
      }
    }
  }

  /// Says why the plot is empty.
  private func drawHint(_ picture: inout CellPicture) {
    guard isEmpty else { return }
    let from = zone.civil(window.start).hoursMinutesSeconds
    let to = zone.civil(window.end).hoursMinutesSeconds
    let text: String
    if isReading {
      text = "reading\(appearance.glyphs.ellipsis)"
    } else if let density = snapshot.density,
      density.isAnyOpen(of: targets, from: window.start, to: window.end)
    {
      text = "no sum of \(density.name) is over yet"
    } else if snapshot.tracks.allSatisfy(\.isEmpty), snapshot.density == nil {
      text = "waiting for the first notification"
    } else {
      text = "nothing was planned between \(from) and \(to)"
    }
    let shown = FittedText.truncated(text, columns: geometry.columns, ellipsis: appearance.glyphs.ellipsis)
    let x = ScatterGeometry.gutter + (geometry.columns - shown.unicodeScalars.count) / 2
    picture.put(shown, x: x, y: geometry.firstRow + geometry.rows / 2, style: appearance(.secondary))
  }
}

extension ScatterModel {
  /// Draws the threshold behind the marks, with its value beside the axis.
  private func drawThreshold(_ picture: inout CellPicture) {
    guard let threshold, let y = row(of: threshold) else { return }
    let style = appearance(.threshold)
    let left = ScatterGeometry.gutter
    picture.row(appearance.glyphs.threshold, x: left, y: y, count: geometry.columns, style: style)
    let label = FittedText.padded(LatencyText.text(threshold), columns: left - 2)
    picture.put(label, x: 0, y: y, style: style)
    picture.set(appearance.glyphs.teeLeft, x: left - 1, y: y, style: style)
  }

  /// Draws the running averages of each metric: the mean dashed, the median solid and on top.
  private func drawAverages(_ raster: DotRaster, _ lookup: RowLookup, _ picture: inout CellPicture) {
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

  /// Cells on the line keep their dots and take the line's color, unless they have a mark that is worse than a delivery.
  private func draw(
    _ line: RunningLine, glyph: UInt32, role: Role, isBroken: Bool, _ raster: DotRaster,
    _ picture: inout CellPicture
  ) {
    let dots = appearance.glyphs.dots
    let edge = window.column(of: snapshot.edge)
    for column in 0..<geometry.columns where column <= edge {
      // Gaps count from 1970, so that they do not move with the window.
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

extension ScatterModel {
  /// Draws the time axis with its ticks and event marks.
  private func drawTimeAxis(_ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let left = ScatterGeometry.gutter
    let y = geometry.axisRow
    picture.set(glyphs.lowerLeft, x: left - 1, y: y, style: appearance(.faint))
    picture.row(glyphs.horizontal, x: left, y: y, count: geometry.columns, style: appearance(.faint))
    let marks = eventMarks
    // Columns of the axis row that are taken.
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
    FittedText.truncated(EscapedText.make(note), columns: 24, ellipsis: appearance.isASCII ? "..." : "…")
  }

  private struct EventMark {
    let x: Int
    let kind: EventKind
    let note: String?
  }

  /// The events in the window, at most one per column.
  private var eventMarks: [EventMark] {
    var worst: [Int: AxisMarks.Mark] = [:]
    for event in snapshot.axisMarks.marks(from: window.start, to: window.end) {
      guard concernsShownTarget(event) else { continue }
      let x = ScatterGeometry.gutter + window.column(of: event.at)
      // In one column, annotations win, then events with the role `warning`; of equal ones the last.
      if event.rank >= worst[x]?.rank ?? 0 { worst[x] = event }
    }
    return worst.map { EventMark(x: $0.key, kind: $0.value.kind, note: $0.value.note) }.sorted { $0.x < $1.x }
  }

  private func concernsShownTarget(_ event: AxisMarks.Mark) -> Bool {
    guard let target = event.target else { return true }
    return targets.contains { snapshot.targets.indices.contains($0) && snapshot.targets[$0].id == target }
  }
}

extension ScatterModel {
  private func drawOverlay(_ picture: inout CellPicture) {
    drawSelection(&picture)
    if let box = overlay.box { draw(box, &picture) }
    if let crosshair = overlay.crosshair { draw(crosshair, &picture) }
  }

  /// Finds marks with the arithmetic that draws them.
  private var hitTester: PlotHitTester {
    PlotHitTester(
      snapshot: snapshot, window: window, targets: targets, metrics: metrics, axis: axis, geometry: geometry,
      dots: appearance.glyphs.dots)
  }

  /// Gives cells with selected notifications a background.
  private func drawSelection(_ picture: inout CellPicture) {
    guard let selection = overlay.selection else { return }
    let hitTester = hitTester
    for target in hitTester.targets {
      let track = snapshot.tracks[target]
      selection.forEach(of: track, in: track.range(from: window.start, to: window.end)) { _, point in
        let column = window.column(of: WallTime(microseconds: point.plannedAt))
        hitTester.forEachMark(of: point) { _, y in
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
      // Without a near mark, the position of the crosshair.
      let value = Int64(axis.value(at: position(ofRow: place.y)).rounded())
      let time = zone.civil(
        window.start.advanced(byMicroseconds: Int64(place.column) * window.scale.columnDuration))
      spans = [
        TextSpan(LatencyText.text(max(0, value)), appearance(.strong)),
        TextSpan("  \(time.hoursMinutesSeconds)", appearance(.secondary)),
      ]
    }
    let space = TextSpan(" ", .plain)
    spans = [space] + spans + [space]
    let width = TextSpan.columns(of: spans)
    // To the right of the lines where it fits; never over the mark.
    let isRight = place.column + 2 + width <= geometry.columns
    let x = isRight ? place.column + 2 : max(0, place.column - 1 - width)
    var y = place.y > geometry.firstRow ? place.y - 1 : place.y + 1
    if let pick = overlay.pick, pick.y == y, x <= pick.column, pick.column < x + width {
      y = place.y > geometry.firstRow && place.y + 1 < geometry.axisRow ? place.y + 1 : place.y
    }
    picture.row(0x20, x: left + x, y: y, count: min(width, geometry.columns - x), style: .plain)
    picture.lines.append(CellPicture.Line(x: left + x, y: y, spans: spans, end: geometry.width))
  }

  /// Position of the middle of a row of cells on the latency axis.
  private func position(ofRow y: Int) -> Double {
    (Double(geometry.axisRow - 1 - y) + 0.5) / Double(max(1, geometry.rows))
  }
}

/// What is drawn over the marks of one plot: the selection, a box, the crosshair.
struct ScatterOverlay: Sendable {
  var selection: Selection?
  var box: PlotBox?
  var crosshair: PlotPosition?
  /// The notification nearest to the crosshair.
  var pick: PickedNotification?
}
