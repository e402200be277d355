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

  /// A change of size about the origin.
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

  /// Where the transform moves a point.
  public func apply(to point: Point) -> Point {
    Point(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
  }

  /// This map for cells instead of points, about `center`.
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

/// A transform taken apart into parts that can be interpolated one by one: a half-turned rotation is then a
/// quarter turn, not a view squeezed flat as with matrix entries.
struct TransformComponents {
  /// translation x, translation y, angle in radians, scale x, scale y, shear, unused, unused.
  var values: SIMD8<Double>

  init(_ values: SIMD8<Double>) { self.values = values }

  init(_ transform: Transform) {
    let scaleX = (transform.a * transform.a + transform.b * transform.b).squareRoot()
    let determinant = transform.a * transform.d - transform.b * transform.c
    guard scaleX > 0 else {
      let scaleY = (transform.c * transform.c + transform.d * transform.d).squareRoot()
      let angle = scaleY > 0 ? Math.atan2(-transform.c, transform.d) : 0
      values = SIMD8(transform.tx, transform.ty, angle, 0, scaleY, 0, 0, 0)
      return
    }
    let angle = Math.atan2(transform.b, transform.a)
    let shear = (transform.a * transform.c + transform.b * transform.d) / (scaleX * scaleX)
    values = SIMD8(transform.tx, transform.ty, angle, scaleX, determinant / scaleX, shear, 0, 0)
  }

  /// The difference to `other`, the angle taken the short way round.
  func delta(to other: TransformComponents) -> SIMD8<Double> {
    var delta = other.values - values
    let turn = 2 * Double.pi
    delta[2] -= turn * (delta[2] / turn).rounded(.toNearestOrEven)
    return delta
  }

  var transform: Transform {
    let cosine = Math.cos(values[2])
    let sine = Math.sin(values[2])
    let (scaleX, scaleY, shear) = (values[3], values[4], values[5])
    return Transform(
      a: cosine * scaleX, b: sine * scaleX,
      c: cosine * scaleX * shear - sine * scaleY, d: sine * scaleX * shear + cosine * scaleY,
      tx: values[0], ty: values[1])
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few transcendental functions the library needs, so that no other file imports the C library.
enum Math {
  static func sin(_ x: Double) -> Double { _sin(x) }
  static func cos(_ x: Double) -> Double { _cos(x) }
  static func exp(_ x: Double) -> Double { _exp(x) }
  static func log(_ x: Double) -> Double { _log(x) }
  static func atan2(_ y: Double, _ x: Double) -> Double { _atan2(y, x) }
}

private func _sin(_ x: Double) -> Double { sin(x) }
private func _cos(_ x: Double) -> Double { cos(x) }
private func _exp(_ x: Double) -> Double { exp(x) }
private func _log(_ x: Double) -> Double { log(x) }
private func _atan2(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
