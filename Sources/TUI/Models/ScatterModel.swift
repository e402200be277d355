import ConstraintAnimation
import Measurement

/// The plot of latency over time as cells: a pure function of what is known and what is asked for.
struct ScatterModel {
  let snapshot: Snapshot
  let window: TimeWindow
  let targets: [Int]
  /// Those plotted on top of one another, the one that quantiles are given of first.
  let metrics: [Metric]
  let axis: LatencyAxis
  /// Whether nothing at all was planned in the window.
  let isEmpty: Bool
  /// A part of the window has not been read yet.
  let isReading: Bool
  let colors: SeriesColors
  let averages: AverageLines
  /// µs.
  let threshold: Int64?
  let overlay: ScatterOverlay
  /// Whether the newest edge is in view and moving.
  let isLive: Bool
  let title: FittedLine
  let appearance: Appearance
  let zone: LocalTime
  let geometry: ScatterGeometry

  /// - Parameter raster: scratch, kept between frames for its memory.
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
    // Nobody knows how old they are once the collector has fallen silent.
    let now = snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil
    for (lane, metric) in metrics.enumerated() {
      for target in targets where snapshot.tracks.indices.contains(target) {
        let track = snapshot.tracks[target]
        let projection = DotRaster.Projection(
          window: window, lookup: lookup, metric: metric,
          codes: colors.codes(target: target, metric: metric),
          // One that has been accepted waits for its receipt: it is pending in one of the metrics only.
          pendingUntil: lane == 0 ? now : nil, dotColumns: raster.encoding.columns, lane: lane)
        if let density = snapshot.density {
          // What began before the window may reach into it.
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

  /// The row of cells in which a latency lies, from the picture's top.
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

  /// Where time has come to.
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

  /// One mark a column: the worst of what never got a latency.
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

  /// What never got a latency and is only known as sums: marked in the middle of its column.
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

  /// Says why there is nothing to see.
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
