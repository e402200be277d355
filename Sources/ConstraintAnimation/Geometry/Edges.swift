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
  /// From edges that are whole already. Crossed edges collapse onto the left or upper one; values beyond any
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
