/// Cells anywhere on a screen, as a few rectangles: less is drawn again than with one rectangle around all of them.
///
/// Rectangles may overlap. There are never more than ``most``: beyond that the two are joined that waste least.
public struct CellRegion: Sendable, Hashable {
  /// The rectangles of the region in no particular order; none of them is empty.
  public private(set) var rects: [CellRect] = []

  /// The largest number of rectangles.
  public static let most = 6

  /// Cells that are cheaper to draw again than another pass over the views is.
  private static let slack = 400

  /// No cells.
  public init() {}

  /// The cells of one rectangle.
  public init(_ rect: CellRect) { insert(rect) }

  public var isEmpty: Bool { rects.isEmpty }

  /// The smallest rectangle around all of it.
  public var bounds: CellRect { rects.reduce(.zero) { $0.union($1) } }

  /// Whether a cell is in one of the rectangles.
  public func contains(x: Int, y: Int) -> Bool { rects.contains { $0.contains(x: x, y: y) } }

  /// Adds a rectangle.
  public mutating func insert(_ rect: CellRect) {
    guard !rect.isEmpty, !rects.contains(where: { $0.intersection(rect) == rect }) else { return }
    var added = rect
    // A joined rectangle may reach others.
    while let place = rects.firstIndex(where: { $0.waste(with: added) <= Self.slack }) {
      added = added.union(rects.remove(at: place))
    }
    rects.append(added)
    if rects.count > Self.most { joinCheapest() }
  }

  /// Adds all of another region.
  public mutating func formUnion(_ other: CellRegion) {
    for rect in other.rects { insert(rect) }
  }

  /// What lies inside a rectangle.
  public func intersection(_ rect: CellRect) -> CellRegion {
    var region = CellRegion()
    for own in rects { region.insert(own.intersection(rect)) }
    return region
  }

  /// Empties it and keeps its memory.
  mutating func removeAll() { rects.removeAll(keepingCapacity: true) }

  private mutating func joinCheapest() {
    var best = (first: 0, second: 1, waste: Int.max)
    for first in rects.indices {
      for second in rects.indices where second > first {
        let waste = rects[first].waste(with: rects[second])
        if waste < best.waste { best = (first, second, waste) }
      }
    }
    let joined = rects[best.first].union(rects[best.second])
    rects.remove(at: best.second)
    rects.remove(at: best.first)
    insert(joined)
  }
}

extension CellRect {
  /// How many cells more the rectangle around both has than the two together; negative where they overlap by more.
  fileprivate func waste(with other: CellRect) -> Int {
    let around = union(other)
    return around.width * around.height - width * height - other.width * other.height
  }
}
