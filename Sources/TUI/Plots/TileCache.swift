/// What was worked out for each tile. It is kept while the tile's sources stay the same: a frame costs what is new, and not
/// what is in view.
struct TileCache<Key: Equatable, Value> {
  private struct Tile {
    let sources: [TileSource]
    let value: Value
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
  /// - Returns: whether it was made.
  mutating func update(
    _ number: Int64, _ sources: [TileSource], holds: (Value) -> Bool = { _ in true }, make: () -> Value
  ) -> Bool {
    if let place = tiles.index(forKey: number), TileSource.areSame(tiles.values[place].sources, sources),
      holds(tiles.values[place].value)
    {
      return false
    }
    tiles[number] = Tile(sources: sources, value: make())
    return true
  }

  /// `nil` for one that was not made, or was dropped.
  subscript(number: Int64) -> Value? { tiles[number]?.value }
}
