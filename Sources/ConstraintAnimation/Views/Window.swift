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
  let timeline = AnimationTimeline()
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

extension Window {
  /// Draws what has changed on a canvas that still holds the last frame; the other cells stay.
  /// - Parameter damage: of the ``FrameChange``, or of several.
  /// - Returns: the cells that have been drawn, which are a little more where glyphs are wider than a cell.
  @discardableResult
  public func draw(on canvas: any CellCanvas, damage: CellRegion) -> CellRegion {
    let clip = canvas.clip
    var drawn = CellRegion()
    for rect in damage.rects {
      let rect = canvas.whole(rect)
      canvas.clip = clip.intersection(rect)
      canvas.fill(rect, glyph: " ", style: .plain)
      draw(on: canvas)
      drawn.insert(rect)
    }
    canvas.clip = clip
    return drawn
  }

  /// Draws the tree, back to front. Only cells inside the canvas's clip change.
  public func draw(on canvas: any CellCanvas) {
    let clip = canvas.clip
    canvas.clip = clip.intersection(root.snapped.cells)
    renderer.draw(
      root, on: canvas, metrics: frames.hasTransforms ? metrics : nil, map: nil, backdrop: backdropColor,
      depth: 0)
    canvas.clip = clip
  }
}

/// Draws views, and keeps the grids in which turned ones are drawn upright.
final class Renderer {
  /// One for each level of turned views inside turned views.
  private var offscreens: [OffscreenGrid] = []

  /// - Parameter metrics: nil when no view has a transform.
  func draw(
    _ view: View, on canvas: any CellCanvas, metrics: CellMetrics?, map outerMap: Transform?, backdrop: Color,
    depth: Int
  ) {
    guard !view.isHidden, view.presentationAlpha > 0 else { return }
    guard let metrics, let own = view.ownScreenMap(metrics) else {
      drawContent(of: view, on: canvas, metrics: metrics, map: outerMap, backdrop: backdrop, depth: depth)
      return
    }
    let map = outerMap.map(own.concatenating) ?? own
    if own.isUpright {
      drawContent(of: view, on: canvas, metrics: metrics, map: map, backdrop: backdrop, depth: depth)
    } else {
      drawTurned(view, on: canvas, metrics: metrics, map: map, backdrop: backdrop, depth: depth)
    }
  }

  private func drawContent(
    of view: View, on canvas: any CellCanvas, metrics: CellMetrics?, map: Transform?, backdrop: Color,
    depth: Int
  ) {
    let rect = map?.cells(for: view) ?? view.layoutCells
    let clip = canvas.clip
    let alpha = view.presentationAlpha
    let covered = view.edgeStyle == .eighths ? rect.insetBy(dx: -1, dy: -1) : rect
    let visible = covered.intersection(clip)
    if visible.isEmpty, view.clipsToBounds || view.subviews.isEmpty { return }
    var behind = backdrop
    if let background = view.presentationBackgroundColor {
      behind = background
      if view.edgeStyle == .eighths, map == nil {
        EighthEdges.fill(
          view.snapped.values + view.offset, color: background, behind: backdrop, on: canvas)
      } else {
        canvas.fill(rect, glyph: " ", style: CellStyle(background: background))
      }
    }
    if view.clipsToBounds { canvas.clip = rect.intersection(clip) }
    if !visible.isEmpty { view.draw(in: rect, on: canvas) }
    for subview in view.subviews {
      draw(subview, on: canvas, metrics: metrics, map: map, backdrop: behind, depth: depth)
    }
    if alpha < 1, !visible.isEmpty { canvas.fade(rect.intersection(clip), towards: backdrop, alpha: alpha) }
    canvas.clip = clip
  }

  /// Draws the view unrotated into memory and copies its cells to their rotated positions. What exceeds the
  /// view's bounds is clipped.
  private func drawTurned(
    _ view: View, on canvas: any CellCanvas, metrics: CellMetrics?, map: Transform, backdrop: Color,
    depth: Int
  ) {
    let target = map.cells(for: view)
    guard !target.intersection(canvas.clip).isEmpty else { return }
    if offscreens.count <= depth { offscreens.append(OffscreenGrid()) }
    let grid = offscreens[depth]
    grid.begin(over: view.layoutCells.clampedArea)
    drawContent(of: view, on: grid, metrics: metrics, map: nil, backdrop: backdrop, depth: depth + 1)
    grid.sample(to: canvas, target: target, map: map)
  }
}

extension CellRect {
  /// The area clamped to a million cells: a larger view is not drawn whole into memory.
  fileprivate var clampedArea: CellRect {
    CellRect(x0: x0, y0: y0, x1: min(x1, x0 + 1000), y1: min(y1, y0 + 1000))
  }
}
