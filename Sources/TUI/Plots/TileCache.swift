import Measurement
import Store

/// A tile is a stretch of time of as many columns as share a median. Tiles are counted from 1970, so that a step of the window
/// does not change them.
extension TimeWindow {
  /// Columns of a tile.
  static let tileColumns = DotRaster.medianColumns

  /// The numbers of the tiles that the window touches.
  var tiles: ClosedRange<Int64> {
    let size = Int64(Self.tileColumns)
    return firstColumn.flooringDivision(
      by: size)...(firstColumn + Int64(columns) - 1).flooringDivision(by: size)
  }

  /// The columns of one tile.
  init(tile: Int64, scale: TimeScale) {
    self.init(scale: scale, firstColumn: tile * Int64(Self.tileColumns), columns: Self.tileColumns)
  }
}

/// What the notifications of one target in a tile are worked out from.
struct TileSource {
  let target: Int
  let points: [ArraySlice<SamplePoint>]
  /// Sums that reach into the tile.
  let sums: ArraySlice<Density.Column>

  static func areSame(_ some: [TileSource], _ others: [TileSource]) -> Bool {
    guard some.count == others.count else { return false }
    for place in some.indices where !some[place].isSame(as: others[place]) { return false }
    return true
  }

  /// Whether both are the same memory. As long as one of them is kept nobody writes to it, so that what was worked out from it
  /// still holds.
  private func isSame(as other: TileSource) -> Bool {
    guard target == other.target, points.count == other.points.count else { return false }
    for place in points.indices where !Self.isSameMemory(points[place], other.points[place]) { return false }
    return Self.isSameMemory(sums, other.sums)
  }

  private static func isSameMemory<Element>(_ one: ArraySlice<Element>, _ other: ArraySlice<Element>) -> Bool
  {
    guard one.count == other.count else { return false }
    let (first, second) = (
      one.withUnsafeBufferPointer { $0.baseAddress }, other.withUnsafeBufferPointer { $0.baseAddress }
    )
    return one.isEmpty || first == second
  }
}

/// What is to be seen of some targets in a window, by tile.
struct TileSources {
  let window: TimeWindow
  /// The numbers of the tiles.
  let numbers: ClosedRange<Int64>
  /// Of each tile, by target.
  private(set) var tiles: [[TileSource]]

  init(_ snapshot: Snapshot, targets: [Int], window: TimeWindow) {
    self.window = window
    numbers = window.tiles
    tiles = Array(repeating: [], count: numbers.count)
    let scale = window.scale
    let first = TimeWindow(tile: numbers.lowerBound, scale: scale)
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      var lower = track.firstIndex(notBefore: max(first.start.microseconds, track.hiddenBefore))
      for (place, number) in numbers.enumerated() {
        let tile = TimeWindow(tile: number, scale: scale)
        let upper = track.firstIndex(notBefore: tile.end.microseconds, from: lower)
        var sums: ArraySlice<Density.Column> = []
        if let density = snapshot.density {
          // A column that began before the tile may extend into it.
          let start = tile.start.advanced(byMicroseconds: -max(density.span, scale.columnDuration))
          sums = density.columns(of: target, from: start, to: tile.end)
        }
        tiles[place].append(TileSource(target: target, points: track.parts(of: lower..<upper), sums: sums))
        lower = upper
      }
    }
  }

  /// Whether the same is to be seen in the same window.
  func isSame(as other: TileSources) -> Bool {
    window == other.window
      && zip(tiles, other.tiles).allSatisfy { TileSource.areSame($0, $1) }
  }

  /// Only one of the targets.
  func only(_ target: Int) -> TileSources {
    var alone = self
    alone.tiles = tiles.map { $0.filter { $0.target == target } }
    return alone
  }
}

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
