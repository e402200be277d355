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
