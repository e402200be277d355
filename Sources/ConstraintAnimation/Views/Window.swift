/// The root of everything: the view tree, the constraint solver, the running animations and the gestures.
///
/// A window has no clock, no isolation and no global state. It is used from one place at a time (an actor, a task, a
/// test function); what goes in and out of that place are values: ``InputEvent`` in, ``FrameChange`` and
/// ``FrameSnapshot`` out. The same events at the same times give the same frames.
///
/// A program's loop: `advance(to: now)`, draw when the change says so, sleep until ``nextDeadline`` or until an event
/// comes, hand that to `send(_:at:)`, begin again. Before the program itself changes anything it calls
/// `advance(to: now)`, because animations begin at the window's time; whoever sleeps and forgets it hears
/// ``LayoutDiagnostic/timeNotAdvanced(_:)``.
public final class Window {
  /// Pinned to the window's edges.
  public let root: View

  /// The time of the last `advance(to:)` or `send(_:at:)`.
  public internal(set) var time = MotionTime.zero

  public internal(set) var size: Size

  /// The size it was made with.
  let sizeAsMade: Size

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
  /// Views whose subviews wait to be laid out, by their depth in the tree: parents come first.
  var viewsToLayOut = LayoutQueue()
  /// Constraints whose constants have changed since the last layout pass, and what else constraints have gone through,
  /// for an animator that lays it out.
  var unlaidConstants: [LayoutConstraint] = []
  var unlaidChanges = ModelChanges()
  /// Items that had a negative size in the layout pass that is running, or have one no more.
  var suspects: [LayoutItem] = []
  /// The layout pass that is running moves constants on behalf of animations.
  var isMovingConstants = false
  /// How much has been looked at so far.
  var work = WorkCounts()

  // Animation
  var blocks: [AnimationBlock] = []
  var contexts: [AnimationBlock?] = []
  var nextBlockID: UInt64 = 1
  /// What blocks without a plain place in time are driven by.
  var drivers: [any ProgressDriver] = []
  /// Blocks that end by themselves, in the order of their completions.
  var endings = CompletionQueue()
  /// Blocks that have lost all they animated and wait for their completion to be told, from `interruptedHead` on.
  var interrupted: [AnimationBlock] = []
  var interruptedHead = 0
  /// How many of `blocks` are retired.
  var retiredCount = 0
  /// A completion, a timer or an arrival is being told.
  var isStepping = false
  /// The last answer to ``nextDeadline`` was that nothing is due soon, and the time has not been told since.
  var wasToldToSleep = false
  /// An animation was begun in that state.
  var beganUnawares = false
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

  /// - Parameters:
  ///   - size: cells; negative numbers and what is not finite count as 0.
  ///   - metrics: how many points a cell is, for transforms.
  ///   - motion: see ``motionLevel``.
  public init(size: Size, metrics: CellMetrics = CellMetrics(), motion: MotionLevel = .full) {
    self.size = Size(
      width: size.width.isFinite ? max(0, size.width) : 0,
      height: size.height.isFinite ? max(0, size.height) : 0)
    sizeAsMade = self.size
    self.metrics = metrics
    motionLevel = motion
    root = View(identifier: "root")
    root.clipsToBounds = true
    root.manualFrame = Rect(origin: .zero, size: self.size)
    root.enter(self)
    if self.size != size { report(.notFinite("the window's size")) }
    damage = root.model.cells
  }

  deinit {
    // A paused animator and its blocks refer to each other.
    for driver in drivers { driver.windowIsGone() }
    root.abandonWindow()
  }

  func report(_ diagnostic: LayoutDiagnostic) {
    if diagnostics.count >= 16 { diagnostics.removeFirst() }
    diagnostics.append(diagnostic)
    onDiagnostic?(diagnostic)
  }
}

/// How much work a window has done since it was made: what tests of its cost count instead of time.
struct WorkCounts {
  var layoutPasses = 0
  /// Items whose edges were read from the solver.
  var itemsRead = 0
  /// Calls of `layoutSubviews`.
  var viewsLaidOut = 0
  /// Tracks looked at to take over or to end animations.
  var tracksVisited = 0
}
