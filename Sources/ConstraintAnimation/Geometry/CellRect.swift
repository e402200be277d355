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

  /// Whether a cell is inside.
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

  /// The same size elsewhere. Cells.
  public func offsetBy(dx: Int, dy: Int) -> CellRect {
    CellRect(x0: x0 + dx, y0: y0 + dy, x1: x1 + dx, y1: y1 + dy)
  }

  /// Smaller by so many cells at each edge.
  public func insetBy(dx: Int, dy: Int) -> CellRect {
    CellRect(x0: x0 + dx, y0: y0 + dy, x1: x1 - dx, y1: y1 - dy)
  }
}

/// How many points a cell stands for, so that constants published for screens can be used as they are.
///
/// A cell is about twice as high as it is wide; the rule is 8 points a column and 16 points a row.
public struct CellMetrics: Sendable, Hashable {
  public var pointsPerColumn: Double
  public var pointsPerRow: Double

  public init(pointsPerColumn: Double = 8, pointsPerRow: Double = 16) {
    self.pointsPerColumn = pointsPerColumn
    self.pointsPerRow = pointsPerRow
  }

  /// Points as columns.
  public func columns(_ points: Double) -> Double { points / pointsPerColumn }

  /// Points as rows.
  public func rows(_ points: Double) -> Double { points / pointsPerRow }
}

/// Four absolute edges in window coordinates, in the order left, top, right, bottom.
///
/// Everything inside the library that is laid out, animated or rounded is an edge, never an origin and a size:
/// two views that share an edge then hold the same number and go through the same arithmetic, so they stay
/// together on every frame of every curve.
struct Edges: Hashable {
  var values: SIMD4<Double>

  init(_ values: SIMD4<Double>) { self.values = values }

  init(_ rect: Rect) {
    values = SIMD4(rect.minX, rect.minY, rect.maxX, rect.maxY)
  }

  static let zero = Edges(SIMD4<Double>.zero)

  var left: Double { values.x }
  var top: Double { values.y }
  var right: Double { values.z }
  var bottom: Double { values.w }

  /// Sizes are never negative: an overshooting spring or an over-constrained view shows nothing, it is not drawn
  /// inside out.
  var rect: Rect {
    Rect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
  }

  /// Edges have crossed by more than rounding can.
  var hasNegativeSize: Bool { right < left - 1e-6 || bottom < top - 1e-6 }

  var center: Point { Point(x: (left + right) / 2, y: (top + bottom) / 2) }

  /// The edges on whole cells.
  var snapped: Edges { Edges(Edges.snap(values)) }

  var cells: CellRect {
    let whole = Edges.snap(values)
    return CellRect(whole: whole)
  }

  /// The rule for whole cells: `floor(q(x) + 0.5)`, where `q` rounds to 1/1024 of a cell so that one edge
  /// computed in two ways cannot end in two cells. Not Swift's default rounding, which goes away from zero and
  /// would change the width of a pane that slides across column 0.
  static func snap(_ values: SIMD4<Double>) -> SIMD4<Double> {
    let quantised = (values * 1024).rounded(.toNearestOrEven) / 1024
    return (quantised + 0.5).rounded(.down)
  }

  static func snap(_ value: Double) -> Double {
    let quantised = (value * 1024).rounded(.toNearestOrEven) / 1024
    return (quantised + 0.5).rounded(.down)
  }
}

extension CellRect {
  /// Makes a rectangle of edges that are whole already. Crossed edges collapse onto the left or upper one; values beyond any
  /// terminal are clamped, what is no number counts as 0, so that the conversion cannot trap.
  init(whole: SIMD4<Double>) {
    let limit = SIMD4<Double>(repeating: 1e9)
    let known = whole.replacing(with: 0, where: whole .!= whole)
    let bounded = known.clamped(lowerBound: -limit, upperBound: limit)
    let left = Int(bounded.x)
    let top = Int(bounded.y)
    self.init(x0: left, y0: top, x1: max(left, Int(bounded.z)), y1: max(top, Int(bounded.w)))
  }
}
