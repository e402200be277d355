/// What `advance(to:)` has found: whether there is anything to draw, and whether there will be.
public struct FrameChange: Sendable, Hashable {
  public let time: MotionTime
  /// Cells that may look different from the last frame; empty when a drawing would come out the same.
  public let damage: CellRect
  public let isAnimating: Bool

  public var needsDisplay: Bool { !damage.isEmpty }
}
