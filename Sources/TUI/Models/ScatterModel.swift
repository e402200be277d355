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
  let marks: PlotMarks
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

  /// - Parameter tiles: of the same pane, kept between frames.
  func picture(_ tiles: inout TiledRaster) -> CellPicture {
    var picture = CellPicture(width: geometry.width, height: geometry.height)
    picture.row(
      appearance.glyphs.horizontal, x: 0, y: 0, count: geometry.width, style: appearance(.faint))
    TitleRow.add(title, to: &picture)
    guard geometry.rows > 0, geometry.columns > 0 else { return picture }
    let dots = appearance.glyphs.dots
    let lookup = tiles.plot(
      snapshot, window: window, targets: targets,
      // The ages of pending ones are not known once the collector is silent.
      now: snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil,
      settings: TiledRaster.Settings(
        scale: window.scale, axis: axis, rows: geometry.rows, encoding: dots, metrics: metrics,
        colors: colors,
        hasSpread: marks != .dots))
    let raster = tiles.whole
    let axes = LatencyAxisModel(axis: axis, threshold: threshold, geometry: geometry, appearance: appearance)
    axes.draw(&picture)
    drawNow(&picture)
    axes.drawThreshold(&picture)
    let place = targets.count == 1 ? targets[0] : 0
    // Columns below the axis of latencies in which lines are named.
    var legendColumns = 0
    switch marks {
    case .dots:
      let marks = DotMarks(raster: raster, geometry: geometry, appearance: appearance)
      marks.draw(&picture)
      drawAverages(raster, lookup, &picture)
      marks.drawOffScale(&picture)
      legendColumns = averageLegend.reduce(0) { $0 + 1 + $1.name.count }
    case .bands:
      let bands = PercentileBands(raster: raster, place: place, geometry: geometry, appearance: appearance)
      bands.draw(&picture)
      bands.drawLegend(&picture)
      legendColumns = bands.legendColumns
    case .minutes:
      MinuteHeatMap(raster: raster, window: window, place: place, geometry: geometry, appearance: appearance)
        .draw(&picture)
    }
    LossBand(outcomes: raster.outcomes, geometry: geometry, appearance: appearance).draw(&picture)
    TimeAxisModel(
      marks: eventMarks, window: window, geometry: geometry, appearance: appearance, zone: zone,
      reservedColumns: legendColumns
    ).draw(&picture)
    drawAverageLegend(&picture)
    drawHint(&picture)
    PlotOverlayModel(
      overlay: overlay,
      hitTester: PlotHitTester(
        snapshot: snapshot, window: window, targets: targets, metrics: metrics, axis: axis,
        geometry: geometry, dots: dots), appearance: appearance
    ).draw(&picture)
    return picture
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

  /// Draws the running averages of each metric: the mean dashed, the median solid and on top.
  private func drawAverages(_ raster: DotRaster, _ lookup: RowLookup, _ picture: inout CellPicture) {
    let phase = raster.medianPhase(of: window)
    let lines = AverageMarks(
      raster: raster, window: window, edge: window.column(of: snapshot.edge), geometry: geometry,
      appearance: appearance)
    for lane in metrics.indices {
      if averages.showsMean {
        let line = RunningLine.mean(of: raster, phase: phase, lane: lane, lookup: lookup)
        lines.draw(line, glyph: appearance.glyphs.mean, role: .mean, isBroken: true, &picture)
      }
      if averages.showsMedian {
        let line = RunningLine.median(of: raster, phase: phase, lane: lane)
        lines.draw(line, glyph: appearance.glyphs.median, role: .median, isBroken: false, &picture)
      }
    }
  }

  /// The lines that are drawn, with their names.
  private var averageLegend: [(glyph: UInt32, name: String, role: Role)] {
    guard marks == .dots else { return [] }
    return (averages.showsMedian ? [(appearance.glyphs.median, "med", .median)] : [])
      + (averages.showsMean ? [(appearance.glyphs.mean, "avg", .mean)] : [])
  }

  /// Names the lines in the corner below the axis, at any width. Labels of the axis keep away from it.
  private func drawAverageLegend(_ picture: inout CellPicture) {
    let y = geometry.height - 1
    var x = 0
    for (glyph, name, role) in averageLegend {
      picture.set(glyph, x: x, y: y, style: appearance(role))
      picture.put(name, x: x + 1, y: y, style: appearance(.secondary))
      x += 1 + name.count
    }
  }

  /// The events in the window that concern a target on display.
  private var eventMarks: ArraySlice<AxisMarks.Mark> {
    let ids = Set(
      targets.compactMap { snapshot.targets.indices.contains($0) ? snapshot.targets[$0].id : nil })
    let marks = snapshot.axisMarks.marks(from: window.start, to: window.end)
    return marks.allSatisfy { $0.target.map(ids.contains) ?? true }
      ? marks : marks.filter { $0.target.map(ids.contains) ?? true }[...]
  }

  /// Says why the plot is empty.
  private func drawHint(_ picture: inout CellPicture) {
    guard isEmpty else { return }
    let lines = NoticeModel.wrapped(hint, columns: max(1, geometry.columns)).prefix(geometry.rows)
    let top = geometry.firstRow + (geometry.rows - lines.count + 1) / 2
    for (row, line) in lines.enumerated() {
      let x = ScatterGeometry.gutter + max(0, (geometry.columns - line.unicodeScalars.count) / 2)
      picture.put(line, x: x, y: top + row, style: appearance(.secondary))
    }
  }

  private var hint: String {
    if isReading { return "reading\(appearance.glyphs.ellipsis)" }
    if let run = snapshot.run, window.end <= run.startedAt || window.start > snapshot.sendingEdge {
      let (from, to) = (run.startedAt, snapshot.edge)
      return "nothing was planned here; the run is \(moment(from, near: window.start)) to "
        + "\(moment(to, near: from)), 0 shows it"
    }
    if let density = snapshot.density, density.isAnyOpen(of: targets, from: window.start, to: window.end) {
      return "no sum of \(density.name) is over yet"
    }
    if snapshot.totals.allSatisfy({ $0.planned == 0 }), snapshot.tracks.allSatisfy(\.isEmpty),
      snapshot.density == nil
    {
      return "waiting for the first notification"
    }
    let (from, to) = (zone.civil(window.start), zone.civil(window.end))
    return "nothing was planned between \(from.hoursMinutesSeconds) and \(to.hoursMinutesSeconds)"
  }

  /// A time, with its date unless that is the other one's.
  private func moment(_ time: WallTime, near other: WallTime) -> String {
    let (civil, known) = (zone.civil(time), zone.civil(other))
    return civil.date == known.date ? civil.hoursMinutesSeconds : civil.dateTime
  }
}

/// How the notifications of a window are drawn.
enum PlotMarks: Sendable, Hashable {
  case dots
  /// Percentiles by column.
  case bands
  /// A heat map of minutes and latencies.
  case minutes
}
