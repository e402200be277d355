import Measurement
import Store

/// The latencies of selected notifications, by tile. Those of a tile are kept as long as its notifications and the selection
/// stay the same.
struct SelectedValues {
  private struct Key: Equatable {
    let selection: Selection
    let metric: Metric
    let scale: TimeScale
  }

  private var tiles = TileCache<Key, [Int64]>()

  /// - Parameter sources: of the same snapshot.
  /// - Returns: µs, in no particular order, in several parts.
  mutating func parts(
    of selection: Selection, in snapshot: Snapshot, _ sources: TileSources, metric: Metric
  ) -> [[Int64]] {
    let window = sources.window
    tiles.prepare(Key(selection: selection, metric: metric, scale: window.scale), for: sources.numbers)
    return sources.numbers.enumerated().map { place, number in
      let tile = TimeWindow(tile: number, scale: window.scale)
      let shown = tile.intersection(window)
      func values(_ sources: [TileSource]) -> [Int64] {
        selection.values(in: snapshot, window: shown, targets: sources.map(\.target), metric: metric)
      }
      // What is outside of the window is not counted.
      guard shown == tile else { return values(sources.tiles[place]) }
      _ = tiles.update(place, of: sources, make: values)
      return tiles[number] ?? []
    }
  }
}

/// What a histogram keeps between frames.
struct HistogramCache {
  var counts = BucketCounts()
  var selected = SelectedValues()
}
