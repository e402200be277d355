/// A displacement or a speed in fractional cells: columns to the right, rows down.
public struct Vector: Sendable, Hashable {
  public var dx: Double
  public var dy: Double

  public init(dx: Double, dy: Double) {
    self.dx = dx
    self.dy = dy
  }

  public static let zero = Vector(dx: 0, dy: 0)

  public static func + (left: Vector, right: Vector) -> Vector {
    Vector(dx: left.dx + right.dx, dy: left.dy + right.dy)
  }

  public static func - (left: Vector, right: Vector) -> Vector {
    Vector(dx: left.dx - right.dx, dy: left.dy - right.dy)
  }

  public static func * (vector: Vector, factor: Double) -> Vector {
    Vector(dx: vector.dx * factor, dy: vector.dy * factor)
  }

  /// Length in cells, columns and rows counted alike.
  public var magnitude: Double { (dx * dx + dy * dy).squareRoot() }
}

extension Point {
  public static func - (left: Point, right: Point) -> Vector {
    Vector(dx: left.x - right.x, dy: left.y - right.y)
  }

  public static func + (point: Point, offset: Vector) -> Point {
    Point(x: point.x + offset.dx, y: point.y + offset.dy)
  }
}
