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

  var count: Int { points.reduce(0) { $0 + $1.count } }

  static func areSame(_ some: [TileSource], _ others: [TileSource]) -> Bool {
    guard some.count == others.count else { return false }
    for place in some.indices where !some[place].isSame(as: others[place]) { return false }
    return true
  }

  /// Whether both are the same memory. As long as one of them is kept nobody writes to it, so that what was worked out from it
  /// still holds.
  fileprivate func isSame(as other: TileSource) -> Bool {
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

/// Stands for what is to be seen in one tile. What has the same stamp is the same.
final class TileStamp: Sendable {}

/// What is to be seen of some targets in a window, by tile.
struct TileSources {
  let window: TimeWindow
  /// The numbers of the tiles.
  let numbers: ClosedRange<Int64>
  /// The sources of each tile, by target.
  private(set) var tiles: [[TileSource]]
  /// The stamp of each tile.
  private(set) var stamps: [TileStamp]
  private let targets: [Int]
  private let tracks: [PointTrack]
  private let density: Density?

  /// - Parameter earlier: of an earlier frame; what has not changed since is taken over.
  init(_ snapshot: Snapshot, targets: [Int], window: TimeWindow, after earlier: TileSources? = nil) {
    self.window = window
    self.targets = targets.filter(snapshot.tracks.indices.contains)
    numbers = window.tiles
    tracks = self.targets.map { snapshot.tracks[$0] }
    density = snapshot.density
    if let earlier, density == nil, earlier.density == nil, window.scale == earlier.window.scale,
      self.targets == earlier.targets, earlier.numbers.contains(numbers.lowerBound)
    {
      let moved = Int(numbers.lowerBound - earlier.numbers.lowerBound)
      tiles = Array(earlier.tiles.dropFirst(moved).prefix(numbers.count))
      stamps = Array(earlier.stamps.dropFirst(moved).prefix(numbers.count))
      let known = tiles.count
      for _ in known..<numbers.count {
        tiles.append([])
        stamps.append(TileStamp())
      }
      for place in tracks.indices { reuse(place, from: earlier, known: known) }
    } else {
      tiles = Array(repeating: [], count: numbers.count)
      stamps = numbers.map { _ in TileStamp() }
      for place in tiles.indices { tiles[place].reserveCapacity(tracks.count) }
      for place in tracks.indices { divide(place, from: 0) }
    }
  }

  /// Divides a track among the tiles whose points may be others than in an earlier frame.
  /// - Parameter known: how many tiles are those of the earlier frame.
  private mutating func reuse(_ place: Int, from earlier: TileSources, known: Int) {
    let same = tracks[place].unchangedCount(since: earlier.tracks[place])
    var seen = lowerIndex(place)
    guard tracks[place].hiddenBefore == earlier.tracks[place].hiddenBefore, seen < same else {
      return divide(place, from: 0)
    }
    // The last point before the end of a tile may have been the last of all.
    let changed = tiles[..<known].firstIndex { tile in
      let next = seen + tile[place].count
      defer { seen = next }
      return next >= same
    }
    divide(place, from: changed ?? known)
  }

  /// The index of the first point of a track in the first tile.
  private func lowerIndex(_ place: Int) -> Int {
    let first = TimeWindow(tile: numbers.lowerBound, scale: window.scale)
    return tracks[place].firstIndex(notBefore: max(first.start, tracks[place].hiddenBefore))
  }

  /// Divides the points of a track among the tiles from one on.
  private mutating func divide(_ place: Int, from first: Int) {
    let track = tracks[place]
    var lower = tiles[..<first].reduce(lowerIndex(place)) { $0 + $1[place].count }
    for (tile, number) in numbers.enumerated().dropFirst(first) {
      let stretch = TimeWindow(tile: number, scale: window.scale)
      let upper = track.firstIndex(notBefore: stretch.end, from: lower)
      var sums: ArraySlice<Density.Column> = []
      if let density {
        // A column that began before the tile may extend into it.
        let start = stretch.start - max(density.span.length, window.scale.columnDuration)
        sums = density.columns(of: targets[place], from: start, to: stretch.end)
      }
      let source = TileSource(target: targets[place], points: track.parts(of: lower..<upper), sums: sums)
      if !tiles[tile].indices.contains(place) {
        tiles[tile].append(source)
      } else if !source.isSame(as: tiles[tile][place]) {
        tiles[tile][place] = source
        stamps[tile] = TileStamp()
      }
      lower = upper
    }
  }

  /// Whether the same is to be seen in the same window.
  func isSame(as other: TileSources) -> Bool {
    guard window == other.window else { return false }
    return tiles.indices.allSatisfy {
      stamps[$0] === other.stamps[$0] || TileSource.areSame(tiles[$0], other.tiles[$0])
    }
  }

  /// Only one of the targets.
  func only(_ target: Int) -> TileSources {
    var alone = self
    alone.tiles = tiles.map { $0.filter { $0.target == target } }
    // Not those of all targets, which other panes have.
    alone.stamps = tiles.map { _ in TileStamp() }
    return alone
  }
}
