/// An affine map of a view about its center. It moves what is drawn and what can be hit, never the layout.
///
/// Translations are in cells. The linear part works in points (a cell is twice as high as wide), so a rotation by
/// a quarter turn looks like one; see ``CellMetrics``. Layout: `x' = a x + c y + tx`, `y' = b x + d y + ty`.
public struct Transform: Sendable, Hashable {
  public var a: Double
  public var b: Double
  public var c: Double
  public var d: Double
  public var tx: Double
  public var ty: Double

  public init(a: Double = 1, b: Double = 0, c: Double = 0, d: Double = 1, tx: Double = 0, ty: Double = 0) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  public static let identity = Transform()

  /// Moves by columns and rows.
  public static func translation(x: Double, y: Double) -> Transform { Transform(tx: x, ty: y) }

  public static func scale(x: Double, y: Double) -> Transform { Transform(a: x, d: y) }

  /// Turns clockwise on screen (y grows downwards).
  public static func rotation(_ radians: Double) -> Transform {
    let cosine = Math.cos(radians)
    let sine = Math.sin(radians)
    return Transform(a: cosine, b: sine, c: -sine, d: cosine)
  }

  public var isIdentity: Bool { self == .identity }

  var isFinite: Bool {
    a.isFinite && b.isFinite && c.isFinite && d.isFinite && tx.isFinite && ty.isFinite
  }

  /// No rotation and no shear: edges stay parallel to the grid.
  public var isAxisAligned: Bool { b == 0 && c == 0 }

  /// Neither turned nor mirrored: what is drawn inside can be drawn as it is.
  var isUpright: Bool { isAxisAligned && a >= 0 && d >= 0 }

  /// This map first, then `other`.
  public func concatenating(_ other: Transform) -> Transform {
    Transform(
      a: a * other.a + b * other.c, b: a * other.b + b * other.d,
      c: c * other.a + d * other.c, d: c * other.b + d * other.d,
      tx: tx * other.a + ty * other.c + other.tx, ty: tx * other.b + ty * other.d + other.ty)
  }

  /// The map back, or nil when the view is squeezed to nothing.
  public var inverted: Transform? {
    let determinant = a * d - b * c
    guard determinant != 0, determinant.isFinite else { return nil }
    return Transform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }

  public func apply(to point: Point) -> Point {
    Point(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
  }

  /// The same map for cells instead of points, about `center`.
  func inCells(about center: Point, metrics: CellMetrics) -> Transform {
    let aspect = metrics.pointsPerRow / metrics.pointsPerColumn
    var cells = self
    cells.b /= aspect
    cells.c *= aspect
    cells.tx += center.x - (cells.a * center.x + cells.c * center.y)
    cells.ty += center.y - (cells.b * center.x + cells.d * center.y)
    return cells
  }
}
