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
  /// The notifications that are marked as selected.
  let selection: Selection?
  let overlay: ScatterOverlay
  /// Whether the newest edge is in the window and moves.
  let isLive: Bool
  let title: FittedLine
  let appearance: Appearance
  let zone: LocalTime
  let geometry: ScatterGeometry

  private var window: TimeWindow { sources.window }

  /// Brings the picture of the pane up to date.
  /// - Returns: where it may look different, in cells of the pane.
  func redraw(_ kept: inout PaneCache) -> CellRegion {
    let all = CellRect(x0: 0, y0: 0, x1: geometry.width, y1: geometry.height)
    guard geometry.rows > 0, geometry.columns > 0 else {
      kept = PaneCache(background.picture(zone: zone))
      _ = kept.setTitle(title)
      return CellRegion(all)
    }
    let lookup = kept.tiles.plot(
      sources,
      // The ages of pending ones are not known once the collector is silent.
      now: snapshot.run?.isLive ?? false ? snapshot.monotonicNow : nil,
      settings: TiledRaster.Settings(
        scale: window.scale, axis: axis, rows: geometry.rows, encoding: appearance.glyphs.dots,
        metrics: metrics, colors: colors, hasSpread: marks != .dots))
    let raster = kept.tiles.whole
    let lines = averageLines(of: raster, lookup)
    let scene = PaneCache.Scene(
      background: background, edge: min(edge, geometry.columns), showsEdge: isLive,
      lines: lines.map(\.line), selection: selection, hasHint: isEmpty)
    let work = kept.begin(scene, zone: zone)
    for range in work.columns { draw(range, of: raster, lines, &kept.uncovered) }
    if let selectedMarks {
      for range in work.columns { selectedMarks.draw(&kept.uncovered, columns: range) }
    }
    let hasNewTitle = kept.setTitle(title)
    let covered = kept.cover(overlay.cells(of: geometry)) {
      PlotOverlayModel(overlay: overlay, geometry: geometry, appearance: appearance).draw(&$0)
    }
    guard !work.isElsewhere else { return CellRegion(all) }
    var region = covered
    for range in work.columns { region.insert(geometry.cells(of: range)) }
    if hasNewTitle { region.insert(CellRect(x0: 0, y0: 0, x1: geometry.width, y1: 1)) }
    return region
  }

  /// Draws some columns above the background.
  private func draw(
    _ columns: Range<Int>, of raster: DotRaster, _ lines: [AverageLine], _ picture: inout CellPicture
  ) {
    if isLive { drawEdge(columns, &picture) }
    switch marks {
    case .dots:
      let marks = DotMarks(raster: raster, geometry: geometry, appearance: appearance)
      marks.draw(&picture, columns: columns)
      let averages = AverageMarks(
        raster: raster, window: window, edge: edge, geometry: geometry, appearance: appearance)
      for line in lines { averages.draw(line, &picture, columns: columns) }
      marks.drawOffScale(&picture, columns: columns)
    case .bands:
      PercentileBands(raster: raster, place: place, geometry: geometry, appearance: appearance)
        .draw(&picture, columns: columns)
    case .minutes:
      MinuteHeatMap(raster: raster, window: window, place: place, geometry: geometry, appearance: appearance)
        .draw(&picture, columns: columns)
    }
    LossBand(outcomes: raster.outcomes, geometry: geometry, appearance: appearance).draw(
      &picture, columns: columns)
    if isEmpty { drawHint(&picture) }
  }

  private var selectedMarks: SelectedMarks? {
    selection.map {
      SelectedMarks(
        selection: $0,
        hitTester: PlotHitTester(
          snapshot: snapshot, window: window, targets: targets, metrics: metrics, axis: axis,
          geometry: geometry, dots: appearance.glyphs.dots),
        tint: appearance.selected)
    }
  }

  /// The column of the newest edge.
  private var edge: Int { window.column(of: snapshot.edge) }

  /// A line of dashes in the column of the newest edge, behind the marks and the threshold.
  private func drawEdge(_ columns: Range<Int>, _ picture: inout CellPicture) {
    let edge = edge
    guard appearance.glyphs.grid != 0, appearance.hasManyColors, columns.contains(edge),
      edge < geometry.columns - 1
    else { return }
    let x = ScatterGeometry.gutter + edge
    for y in geometry.firstRow..<geometry.axisRow {
      guard threshold == nil || picture.glyph(x: x, y: y) != appearance.glyphs.threshold else { continue }
      picture.set(0x250A, x: x, y: y, style: appearance(.grid))
    }
  }

  /// The index of the color of what is drawn in one.
  private var place: Int { targets.count == 1 ? targets[0] : 0 }

  private var background: ScatterBackground {
    ScatterBackground(
      window: window, axis: axis, threshold: threshold, events: Array(eventMarks), marks: marks,
      metric: metrics.first ?? .delivery,
      averages: averages, place: place, geometry: geometry, appearance: appearance)
  }

  /// The running averages of each metric: the mean dashed, the median solid and on top.
  private func averageLines(of raster: DotRaster, _ lookup: RowLookup) -> [AverageLine] {
    guard marks == .dots else { return [] }
    let phase = raster.medianPhase(of: window)
    return metrics.indices.flatMap { lane in
      var lines: [AverageLine] = []
      if averages.showsMean {
        let line = RunningLine.mean(of: raster, phase: phase, lane: lane, lookup: lookup)
        lines.append(AverageLine(line: line, glyph: appearance.glyphs.mean, role: .mean, isBroken: true))
      }
      if averages.showsMedian {
        let line = RunningLine.median(of: raster, phase: phase, lane: lane)
        lines.append(
          AverageLine(line: line, glyph: appearance.glyphs.median, role: .median, isBroken: false))
      }
      return lines
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
    let lines = FittedText.wrapped(hint, columns: max(1, geometry.columns)).prefix(geometry.rows)
    let top = geometry.firstRow + (geometry.rows - lines.count + 1) / 2
    for (row, line) in lines.enumerated() {
      let x = ScatterGeometry.gutter + max(0, (geometry.columns - line.unicodeScalars.count) / 2)
      picture.put(line, x: x, y: top + row, style: appearance(.secondary))
    }
  }

  private var hint: String {
    if isReading { return appearance.glyphs.reading }
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

  /// Adds the columns that look different because others have changed.
  func spread(_ isChanged: inout [Bool], window: TimeWindow) {
    switch self {
    case .dots: break
    case .bands:
      for column in isChanged.indices.dropFirst().reversed() where isChanged[column - 1] {
        isChanged[column] = true
      }
    case .minutes:
      for stretch in MinuteHeatMap.stretches(of: window) where isChanged[stretch].contains(true) {
        for column in stretch { isChanged[column] = true }
      }
    }
  }
}
