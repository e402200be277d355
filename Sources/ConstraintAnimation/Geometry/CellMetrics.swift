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

  public func columns(_ points: Double) -> Double { points / pointsPerColumn }

  public func rows(_ points: Double) -> Double { points / pointsPerRow }
}
