/// Owns a view tree, its constraint solver, the running animations and the gestures.
///
/// A window has no clock, no isolation and no global state. It is used from one place at a time (an actor, a task, a
/// test function); what goes in and out of that place are values: ``InputEvent`` in, ``FrameChange`` and
/// ``FrameSnapshot`` out. The same events at the same times give the same frames.
///
/// A program's loop: `advance(to: now)`, draw when the change says so, sleep until ``nextDeadline`` or until an event
/// comes, hand that to `send(_:at:)`, begin again. Before the program itself changes anything it calls
/// `advance(to: now)`, because animations begin at the window's time; a program that omits it after sleeping gets
/// ``LayoutDiagnostic/timeNotAdvanced(_:)``.
public final class Window {
  /// Pinned to the window's edges.
  public let root: View

  /// The time of the last `advance(to:)` or `send(_:at:)`.
  public var time: MotionTime { timeline.time }

  public private(set) var size: Size

  /// The size it was made with.
  let sizeAsMade: Size

  public let metrics: CellMetrics

  /// How much motion is shown. Applies to animations that begin later.
  public var motionLevel: MotionLevel

  /// The shortest time between two frames, 1/60 s.
  public var frameInterval: Duration = .nanoseconds(16_666_667)

  /// The color towards which views without an opaque background fade.
  public var backdropColor = Color(0, 0, 0)

  /// Called with each refused constraint and programming error as it happens.
  public var onDiagnostic: ((LayoutDiagnostic) -> Void)?

  /// Called when an animation begins and ends.
  public var onMotionEvent: ((MotionEvent) -> Void)?

  /// The last few diagnostics, the newest at the end.
  public private(set) var diagnostics: [LayoutDiagnostic] = []

  /// The view that receives keys first; nil means the root.
  public weak var firstResponder: View?

  let engine = LayoutEngine()
  let gestures = GestureArbiter()
  let renderer = Renderer()
  var layout = LayoutPass()
  var timeline = AnimationTimeline()
  var frames = FrameTracker()
  private var lastViewID: UInt32 = 0

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
    frames.reset(to: root.model.cells)
  }

  deinit {
    timeline.releaseDrivers()
    root.abandonWindow()
  }

  /// The window's new size. Layout follows at once, without animation; running animations go on towards the new
  /// places. Gestures in progress are cancelled.
  public func resize(to newSize: Size) {
    guard newSize.width.isFinite, newSize.height.isFinite else {
      report(.notFinite("the window's size"))
      return
    }
    guard newSize != size else { return }
    size = Size(width: max(0, newSize.width), height: max(0, newSize.height))
    gestures.cancelAll()
    performWithoutAnimation {
      root.manualFrame = Rect(origin: .zero, size: size)
      manualFrameChanged(root)
      layoutIfNeeded()
    }
    frames.reset(to: root.snapped.cells)
  }

  func makeViewID() -> UInt32 {
    lastViewID += 1
    return lastViewID
  }

  func report(_ diagnostic: LayoutDiagnostic) {
    if diagnostics.count >= 16 { diagnostics.removeFirst() }
    diagnostics.append(diagnostic)
    onDiagnostic?(diagnostic)
  }

  var work: WorkCounts {
    WorkCounts(
      layoutPasses: layout.passes, itemsRead: layout.itemsRead, viewsLaidOut: layout.viewsLaidOut,
      tracksVisited: timeline.tracksVisited)
  }
}

/// How much work a window has done since it was made: what tests of its cost count instead of time.
struct WorkCounts {
  let layoutPasses: Int
  let itemsRead: Int
  let viewsLaidOut: Int
  let tracksVisited: Int
}
