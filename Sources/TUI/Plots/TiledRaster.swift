import Measurement
import Store

/// The dots of a window, put together from tiles that are kept between frames.
struct TiledRaster {
  /// The whole window, as it was plotted last.
  private(set) var whole = DotRaster(encoding: .braille)
  /// The columns of `whole` that were plotted anew last, where they are now.
  private(set) var changed: [Range<Int>] = []
  /// How many columns the other ones have moved to the left; negative to the right.
  private(set) var moved = 0
  private var tiles = TileCache<Settings, Tile>()
  /// What `whole` has; of other tiles nothing is known.
  private var shown: (settings: Settings, window: TimeWindow)?
  private var lookup = RowLookup(axis: LatencyAxis(kind: .linear, lower: 0, upper: 1), rows: 1)

  /// What the dots depend on, apart from the notifications.
  struct Settings: Equatable {
    let scale: TimeScale
    let axis: LatencyAxis
    /// Rows of cells.
    let rows: Int
    let encoding: DotEncoding
    let metrics: [Metric]
    let colors: SeriesColors
    /// Whether values are counted by column and row.
    let hasSpread: Bool
  }

  private struct Tile {
    let raster: DotRaster
    /// Whether it has pending notifications, which are drawn at their age.
    let hasPending: Bool
    let now: MonotonicTime?
  }

  /// - Parameter now: current time on the run's monotonic clock; `nil` omits pending notifications.
  /// - Returns: the rows of the axis.
  mutating func plot(_ sources: TileSources, now: MonotonicTime?, settings: Settings) -> RowLookup {
    let window = sources.window
    if settings != shown?.settings {
      lookup = RowLookup(axis: settings.axis, rows: settings.rows * settings.encoding.rows)
    }
    changed.removeAll(keepingCapacity: true)
    let known = follow(window, settings)
    tiles.prepare(settings, for: sources.numbers)
    for (place, number) in sources.numbers.enumerated() {
      let isNew = tiles.update(
        place, of: sources, holds: { !$0.hasPending || $0.now == now },
        make: { Self.tile(number, $0, lookup: lookup, now: now, settings: settings) })
      let column = Int(number * Int64(TimeWindow.tileColumns) - window.firstColumn)
      let columns = max(0, column)..<min(window.columns, column + TimeWindow.tileColumns)
      guard isNew || columns.clamped(to: known) != columns, let tile = tiles[number] else { continue }
      whole.paste(tile.raster, column: column, run: place)
      if isNew { changed.append(columns) }
    }
    return lookup
  }

  /// Brings `whole` to the place of a window.
  /// - Returns: the columns that it has something for; all others are noted as changed.
  private mutating func follow(_ window: TimeWindow, _ settings: Settings) -> Range<Int> {
    let all = 0..<window.columns
    let earlier = shown.flatMap { $0.settings == settings ? $0.window : nil }
    shown = (settings, window)
    guard let earlier, let kept = window.columns(sharedWith: earlier) else {
      moved = 0
      whole.reset(
        columns: window.columns, rows: settings.rows, encoding: settings.encoding,
        lanes: settings.metrics.count, places: settings.colors.count, hasSpread: settings.hasSpread)
      changed.append(all)
      return 0..<0
    }
    moved = Int(window.firstColumn - earlier.firstColumn)
    guard moved != 0 else { return all }
    whole.follow(
      columns: moved, runs: Int(window.tiles.lowerBound - earlier.tiles.lowerBound), of: window.tiles.count)
    changed.append(moved > 0 ? kept.upperBound..<all.upperBound : 0..<kept.lowerBound)
    return kept
  }

  private static func tile(
    _ number: Int64, _ sources: [TileSource], lookup: RowLookup, now: MonotonicTime?, settings: Settings
  ) -> Tile {
    var raster = DotRaster(encoding: settings.encoding)
    raster.reset(
      columns: TimeWindow.tileColumns, rows: settings.rows, encoding: settings.encoding,
      lanes: settings.metrics.count, places: settings.colors.count, hasSpread: settings.hasSpread)
    let window = TimeWindow(tile: number, scale: settings.scale)
    var hasPending = false
    for (lane, metric) in settings.metrics.enumerated() {
      let valueCodes = settings.colors.valueCodes(metric: metric)
      for source in sources {
        let projection = DotRaster.Projection(
          window: window, lookup: lookup, metric: metric,
          codes: settings.colors.codes(target: source.target, metric: metric), valueCodes: valueCodes,
          // A pending notification is drawn for the first metric only.
          pendingUntil: lane == 0 ? now : nil, dotColumns: settings.encoding.columns, lane: lane)
        if !source.sums.isEmpty { raster.plot(source.sums, projection) }
        for points in source.points {
          let isPending = points.withUnsafeBufferPointer { raster.plot($0, projection) }
          if isPending { hasPending = true }
        }
      }
    }
    return Tile(raster: raster, hasPending: hasPending, now: now)
  }
}
