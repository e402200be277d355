/// The root of everything: the view tree, the constraint solver, the running animations and the gestures.
///
/// A window has no clock, no isolation and no global state. It is used from one place at a time (an actor, a task, a
/// test function); what goes in and out of that place are values: ``InputEvent`` in, ``FrameChange`` and
/// ``FrameSnapshot`` out. The same events at the same times give the same frames.
///
/// A program's loop: `advance(to: now)`, draw when the change says so, sleep until ``nextDeadline`` or until an event
/// comes, hand that to `send(_:at:)`, begin again. Before the program itself changes anything it calls
/// `advance(to: now)`, because animations begin at the window's time.
public final class Window {
  /// Pinned to the window's edges.
  public let root: View

  /// The time of the last `advance(to:)` or `send(_:at:)`.
  public internal(set) var time = MotionTime.zero

  public internal(set) var size: Size

  public let metrics: CellMetrics

  /// How much motion people want. Applies to animations that begin later.
  public var motionLevel: MotionLevel

  /// The shortest time between two frames, 1/60 s.
  public var frameInterval: Duration = .nanoseconds(16_666_667)

  /// What views without an opaque background fade towards.
  public var backdropColor = Color(0, 0, 0)

  /// Hears of refused constraints and programming errors as they happen.
  public var onDiagnostic: ((LayoutDiagnostic) -> Void)?

  /// Hears of animations that begin and end.
  public var onMotionEvent: ((MotionEvent) -> Void)?

  /// The last few diagnostics, the newest at the end.
  public private(set) var diagnostics: [LayoutDiagnostic] = []

  /// Gets keys first; nil = the root.
  public weak var firstResponder: View?

  // Layout
  let engine = LayoutEngine()
  var layoutPending = true
  var isInLayoutPass = false
  var touched: [LayoutItem] = []

  // Animation
  var blocks: [AnimationBlock] = []
  var contexts: [AnimationBlock?] = []
  var nextBlockID: UInt64 = 1
  /// What blocks without a plain place in time are driven by.
  var drivers: [any ProgressDriver] = []
  /// Blocks that have lost all they animated and wait for their completion to be told.
  var interrupted: [AnimationBlock] = []
  /// Constraints have changed since the last layout pass.
  var changedSinceLayout = false

  // Frames
  var invalidItems: [LayoutItem] = []
  var damage = CellRect.zero
  /// The last frame came out like the one before.
  var wasStill = false
  var nextViewID: UInt32 = 0
  /// Some view has or had a transform: only then is it looked for.
  var hasTransforms = false

  // Timers and gestures
  var timers: [MotionTimer] = []
  var nextTimerID: UInt64 = 1
  let gestures = GestureArbiter()

  /// One for each level of turned views inside turned views.
  var offscreens: [OffscreenGrid] = []

  public init(size: Size, metrics: CellMetrics = CellMetrics(), motion: MotionLevel = .full) {
    self.size = size
    self.metrics = metrics
    motionLevel = motion
    root = View(identifier: "root")
    root.clipsToBounds = true
    root.manualFrame = Rect(origin: .zero, size: size)
    root.enter(self)
    damage = root.model.cells
  }

  deinit { root.abandonWindow() }

  func report(_ diagnostic: LayoutDiagnostic) {
    if diagnostics.count >= 16 { diagnostics.removeFirst() }
    diagnostics.append(diagnostic)
    onDiagnostic?(diagnostic)
  }
}
