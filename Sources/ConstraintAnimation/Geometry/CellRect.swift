/// A half-open rectangle of whole cells: columns `x0 ..< x1`, rows `y0 ..< y1`, in the window's coordinates.
///
/// It is what rounding makes of a layout: edges are rounded, never sizes, so two views that share an edge share
/// the same integer and neither gap nor overlap.
public struct CellRect: Sendable, Hashable {
  public var x0: Int
  public var y0: Int
  public var x1: Int
  public var y1: Int

  public init(x0: Int, y0: Int, x1: Int, y1: Int) {
    self.x0 = x0
    self.y0 = y0
    self.x1 = x1
    self.y1 = y1
  }

  public static let zero = CellRect(x0: 0, y0: 0, x1: 0, y1: 0)

  /// Columns covered; 0 when the edges have crossed.
  public var width: Int { max(0, x1 - x0) }

  /// Rows covered; 0 when the edges have crossed.
  public var height: Int { max(0, y1 - y0) }

  public var isEmpty: Bool { x1 <= x0 || y1 <= y0 }

  public func contains(x: Int, y: Int) -> Bool { x >= x0 && x < x1 && y >= y0 && y < y1 }

  /// The cells both rectangles cover; empty (not negative) when they do not meet.
  public func intersection(_ other: CellRect) -> CellRect {
    let left = max(x0, other.x0)
    let top = max(y0, other.y0)
    return CellRect(
      x0: left, y0: top, x1: max(left, min(x1, other.x1)), y1: max(top, min(y1, other.y1)))
  }

  /// The smallest rectangle that covers both; an empty one adds nothing.
  public func union(_ other: CellRect) -> CellRect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    return CellRect(
      x0: min(x0, other.x0), y0: min(y0, other.y0), x1: max(x1, other.x1), y1: max(y1, other.y1))
  }

  public func offsetBy(dx: Int, dy: Int) -> CellRect {
    CellRect(x0: x0 + dx, y0: y0 + dy, x1: x1 + dx, y1: y1 + dy)
  }

  public func insetBy(dx: Int, dy: Int) -> CellRect {
    CellRect(x0: x0 + dx, y0: y0 + dy, x1: x1 - dx, y1: y1 - dy)
  }
}
