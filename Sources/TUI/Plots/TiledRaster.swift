import Measurement
import Store

/// The dots of a window, put together from tiles that are kept between frames.
struct TiledRaster {
  /// The whole window, as it was plotted last.
  private(set) var whole = DotRaster(encoding: .braille)
  /// The columns of `whole` that were plotted anew last.
  private(set) var changed: [Range<Int>] = []
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
    let now: Int64?
  }

  /// - Parameter now: current time on the run's monotonic clock, µs; `nil` omits pending notifications.
  /// - Returns: the rows of the axis.
  mutating func plot(_ sources: TileSources, now: Int64?, settings: Settings) -> RowLookup {
    let window = sources.window
    if settings != shown?.settings {
      lookup = RowLookup(axis: settings.axis, rows: settings.rows * settings.encoding.rows)
    }
    let isSamePlace = settings == shown?.settings && window == shown?.window
    if !isSamePlace {
      whole.reset(
        columns: window.columns, rows: settings.rows, encoding: settings.encoding,
        lanes: settings.metrics.count, places: settings.colors.count, hasSpread: settings.hasSpread)
    }
    shown = (settings, window)
    changed.removeAll(keepingCapacity: true)
    if !isSamePlace { changed.append(0..<window.columns) }
    tiles.prepare(settings, for: sources.numbers)
    for (place, number) in sources.numbers.enumerated() {
      let isNew = tiles.update(
        place, of: sources, holds: { !$0.hasPending || $0.now == now },
        make: { Self.tile(number, $0, lookup: lookup, now: now, settings: settings) })
      guard isNew || !isSamePlace, let tile = tiles[number] else { continue }
      let column = Int(number * Int64(TimeWindow.tileColumns) - window.firstColumn)
      whole.paste(tile.raster, column: column, run: place)
      if isSamePlace {
        changed.append(max(0, column)..<min(window.columns, column + TimeWindow.tileColumns))
      }
    }
    return lookup
  }

  private static func tile(
    _ number: Int64, _ sources: [TileSource], lookup: RowLookup, now: Int64?, settings: Settings
  ) -> Tile {
    var raster = DotRaster(encoding: settings.encoding)
    raster.reset(
      columns: TimeWindow.tileColumns, rows: settings.rows, encoding: settings.encoding,
      lanes: settings.metrics.count, places: settings.colors.count, hasSpread: settings.hasSpread)
    let window = TimeWindow(tile: number, scale: settings.scale)
    var hasPending = false
    for (lane, metric) in settings.metrics.enumerated() {
      for source in sources {
        let projection = DotRaster.Projection(
          window: window, lookup: lookup, metric: metric,
          codes: settings.colors.codes(target: source.target, metric: metric),
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
