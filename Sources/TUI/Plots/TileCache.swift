/// What was worked out for each tile. It is kept while the tile's sources stay the same: a frame costs what is new, and not
/// what is in view.
struct TileCache<Key: Equatable, Value> {
  /// A class, so that looking at one does not copy it.
  private final class Tile {
    let sources: [TileSource]
    var stamp: TileStamp
    let value: Value

    init(sources: [TileSource], stamp: TileStamp, value: Value) {
      (self.sources, self.stamp, self.value) = (sources, stamp, value)
    }
  }

  /// What all tiles were made with.
  private var key: Key?
  private var tiles: [Int64: Tile] = [:]

  /// Windows on each side of the one on display whose tiles are kept.
  private static var reach: Int64 { 2 }

  /// Drops tiles that were made with something else, and those that are far from the ones to come.
  mutating func prepare(_ key: Key, for numbers: ClosedRange<Int64>) {
    if key != self.key { (self.key, tiles) = (key, [:]) }
    let reach = Self.reach * Int64(numbers.count)
    guard tiles.count > 2 * Int(reach) else { return }
    let kept = numbers.lowerBound - reach...numbers.upperBound + reach
    tiles = tiles.filter { kept.contains($0.key) }
  }

  /// Makes a tile anew where its sources have changed or its value does not hold any more.
  /// - Parameter place: of the tile in `sources`.
  /// - Returns: whether it was made.
  mutating func update(
    _ place: Int, of sources: TileSources, holds: (Value) -> Bool = { _ in true },
    make: ([TileSource]) -> Value
  ) -> Bool {
    let number = sources.numbers.lowerBound + Int64(place)
    let (tile, stamp) = (sources.tiles[place], sources.stamps[place])
    if let known = tiles[number], holds(known.value) {
      if known.stamp === stamp { return false }
      if TileSource.areSame(known.sources, tile) {
        known.stamp = stamp
        return false
      }
    }
    tiles[number] = Tile(sources: tile, stamp: stamp, value: make(tile))
    return true
  }

  /// `nil` for one that was not made, or was dropped.
  subscript(number: Int64) -> Value? { tiles[number]?.value }
}
