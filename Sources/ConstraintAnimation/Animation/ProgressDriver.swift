/// Something that says how far blocks are, instead of time alone: what a ``PropertyAnimator`` is to the window.
protocol ProgressDriver: AnyObject {
  /// What is left of the block's deltas.
  func remainder(of block: AnimationBlock, at time: MotionTime) -> Double

  /// Its speed, a second.
  func remainderSpeed(of block: AnimationBlock, at time: MotionTime) -> Double

  /// Whether frames are needed.
  var isMoving: Bool { get }

  /// When it arrives if nothing interferes; nil while it waits or is scrubbed.
  var arrival: MotionTime? { get }

  /// Called once, at the arrival.
  func arrive(in window: Window)

  /// The model has been changed inside one of its blocks, or before it (`isEarlier`) and laid out there.
  func remember(_ change: ModelChange, in block: AnimationBlock, isEarlier: Bool)

  /// The window is going and has no further use for it.
  func windowIsGone()
}
