import ConstraintAnimation
import Measurement
import Store

/// The plot of latency over time as cells: a pure function of its properties.
struct ScatterModel {
  let snapshot: Snapshot
  /// The notifications of the window.
  let sources: TileSources
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

  private var window: TimeWindow { sources.window }

  /// - Parameter kept: of the same pane.
  func picture(_ kept: inout PaneCache) -> CellPicture {
    let background = background
    var picture = kept.background(background, zone: zone)
    TitleRow.add(title, to: &picture)
    guard geometry.rows > 0, geometry.columns > 0 else { return picture }
    let dots = appearance.glyphs.dots
    let lookup = kept.tiles.plot(
      sources,
      // The ages of pending ones are not known once the collector is silent.
      now: snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil,
      settings: TiledRaster.Settings(
        scale: window.scale, axis: axis, rows: geometry.rows, encoding: dots, metrics: metrics,
        colors: colors,
        hasSpread: marks != .dots))
    let raster = kept.tiles.whole
    switch marks {
    case .dots:
      let marks = DotMarks(raster: raster, geometry: geometry, appearance: appearance)
      marks.draw(&picture)
      drawAverages(raster, lookup, &picture)
      marks.drawOffScale(&picture)
    case .bands:
      PercentileBands(raster: raster, place: place, geometry: geometry, appearance: appearance)
        .draw(&picture)
    case .minutes:
      MinuteHeatMap(raster: raster, window: window, place: place, geometry: geometry, appearance: appearance)
        .draw(&picture)
    }
    LossBand(outcomes: raster.outcomes, geometry: geometry, appearance: appearance).draw(&picture)
    drawHint(&picture)
    if !overlay.isEmpty {
      let hitTester = PlotHitTester(
        snapshot: snapshot, window: window, targets: targets, metrics: metrics, axis: axis,
        geometry: geometry,
        dots: dots)
      PlotOverlayModel(overlay: overlay, hitTester: hitTester, appearance: appearance).draw(&picture)
    }
    return picture
  }

  /// The index of the color of what is drawn in one.
  private var place: Int { targets.count == 1 ? targets[0] : 0 }

  private var background: ScatterBackground {
    ScatterBackground(
      window: window, axis: axis, threshold: threshold, edge: isLive ? window.column(of: snapshot.edge) : nil,
      events: Array(eventMarks), marks: marks, averages: averages, place: place, geometry: geometry,
      appearance: appearance)
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

  /// The events in the window that concern a target on display.
  private var eventMarks: ArraySlice<AxisMarks.Mark> {
    let marks = snapshot.axisMarks.marks(from: window.start, to: window.end)
    guard !marks.isEmpty else { return marks }
    let ids = Set(
      targets.compactMap { snapshot.targets.indices.contains($0) ? snapshot.targets[$0].id : nil })
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
