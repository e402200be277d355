/// What `advance(to:)` has found: whether there is anything to draw, and whether there will be.
public struct FrameChange: Sendable, Hashable {
  public let time: MotionTime
  /// Cells that may look different from the last frame; empty when a drawing would come out the same.
  public let damage: CellRect
  public let isAnimating: Bool

  public var needsDisplay: Bool { !damage.isEmpty }
}

/// Where every view of a window is at one instant, by the views' numbers. A value to hand to other domains and to
/// compare in tests; making one allocates.
public struct FrameSnapshot: Sendable, Hashable {
  public var time: MotionTime
  public var frames: [UInt32: CellRect]
  public var isAnimating: Bool

  public init(time: MotionTime, frames: [UInt32: CellRect], isAnimating: Bool) {
    self.time = time
    self.frames = frames
    self.isAnimating = isAnimating
  }
}
