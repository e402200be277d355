import Analysis
import Measurement
import Store

/// The colors that the values of a key have in a plot, and their legend.
///
/// Where there are no more values than colors, a value has the color of its place in the key's order. Where there are more, the most
/// frequent ones of the window have a color each, which they keep as long as they are in the window; the others share the last.
struct ValueColors: Sendable, Equatable {
  /// A value of the window that has a color of its own.
  struct Entry: Sendable, Equatable {
    /// Escaped.
    let text: String
    /// Place among the theme's colors of targets.
    let place: Int
  }

  let key: BreakdownKey
  private(set) var places: ValuePlaces
  /// The values with a color of their own, in the order of the key.
  private(set) var legend: [Entry]
  /// How many values of the window share the last color.
  private(set) var others: Int
  private let division: Int
  /// Places by numbers of values.
  private let own: [UInt8: Int]
  /// The same by texts, which mean the same in another run.
  private let placesOfTexts: [String: Int]

  /// - Parameters:
  ///   - counts: good notifications of the window by the numbers of their values.
  ///   - colors: as many as there are for values; at least 2.
  ///   - earlier: of an earlier frame.
  ///   - beside: of a plot beside this one, whose values have the same colors here.
  init(
    _ values: PointValues, counts: [Int], colors: Int, after earlier: ValueColors?,
    beside other: ValueColors? = nil
  ) {
    let colors = min(max(2, colors), MarkCode.targets / 2)
    let shown = values.order.filter { Int($0) < counts.count && counts[Int($0)] > 0 }
    let beside = other?.key == values.key ? other : nil
    var own: [UInt8: Int] = [:]
    var count = colors
    if let beside {
      for number in shown { own[number] = beside.placesOfTexts[values.text(of: number)] }
    } else if values.order.count <= colors {
      count = max(1, values.order.count)
      for (place, number) in values.order.enumerated() { own[number] = place }
    } else if let earlier, earlier.division == values.division {
      own = earlier.own.filter { shown.contains($0.key) }
    }
    var free = Set(0..<count).subtracting(own.values).subtracting(
      beside?.placesOfTexts.values.map { $0 } ?? [])
    let isLastShared = shown.count - own.count > free.count || beside.map { $0.others > 0 } ?? false
    if isLastShared {
      free.remove(count - 1)
      own = own.filter { $0.value != count - 1 }
    }
    // The most frequent first, and of equally frequent ones the first.
    let missing = shown.filter { own[$0] == nil }.enumerated().sorted {
      (counts[Int($1.element)], $0.offset) < (counts[Int($0.element)], $1.offset)
    }.map(\.element)
    let chosen = Set(missing.prefix(free.count))
    for (number, place) in zip(shown.filter(chosen.contains), free.sorted()) { own[number] = place }
    (key, division, self.own) = (values.key, values.division, own)
    placesOfTexts = Dictionary(own.map { (values.text(of: $0), $1) }, uniquingKeysWith: { first, _ in first })
    let entries = shown.filter { own[$0] != nil }
    others = shown.count - entries.count
    legend = entries.map { Entry(text: values.text(of: $0), place: own[$0] ?? 0) }
    places = ValuePlaces(own, count: count)
  }

  /// The legend of two plots beside each other.
  func merged(with other: ValueColors?) -> ValueColors {
    guard let other, other.key == key else { return self }
    var both = self
    let known = Set(legend.map(\.text))
    both.legend += other.legend.filter { !known.contains($0.text) }
    both.others = max(others, other.others)
    if other.places.count > places.count { both.places = other.places }
    return both
  }

  /// The place of the color that the others share.
  var placeOfOthers: Int { places.count - 1 }
}

/// Counts good notifications by the numbers of their values, tile by tile.
struct ValueTiles {
  private struct Key: Equatable {
    let scale: TimeScale
    let targets: [Int]
  }

  private var tiles = TileCache<Key, [Int]>()

  /// - Returns: counts by number of value.
  mutating func counts(of sources: TileSources, targets: [Int]) -> [Int] {
    let window = sources.window
    tiles.prepare(Key(scale: window.scale, targets: targets), for: sources.numbers)
    var sum = Array(repeating: 0, count: Int(UInt8.max) + 1)
    for (place, number) in sources.numbers.enumerated() {
      let tile = TimeWindow(tile: number, scale: window.scale)
      let shown = tile.intersection(window)
      var counts: [Int]
      if shown == tile {
        _ = tiles.update(place, of: sources) { Self.count($0, in: shown) }
        counts = tiles[number] ?? []
      } else {
        counts = Self.count(sources.tiles[place], in: shown)
      }
      for value in counts.indices { sum[value] += counts[value] }
    }
    return sum
  }

  private static func count(_ sources: [TileSource], in window: TimeWindow) -> [Int] {
    var counts = Array(repeating: 0, count: Int(UInt8.max) + 1)
    let (start, end) = (window.start.microseconds, window.end.microseconds)
    for points in sources.lazy.flatMap(\.points) {
      for point in points where point.plannedAt >= start && point.plannedAt < end {
        if MarkClass(point.state) == .good { counts[Int(point.valueNumber)] += 1 }
      }
    }
    return counts
  }
}
