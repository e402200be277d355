/// Pages side by side in a container that is dragged behind a clipping host.
///
/// The container is held to the host by a leading and a trailing constraint, in whichever order their items were
/// written; the controller moves both. A drag follows the pointer; let go, it snaps to a page by distance or speed.
/// A drag that begins while it snaps continues from where it is on screen.
public final class PagerController {
  /// The page it rests on. Changes when a snap has finished, not when it begins.
  public private(set) var page: Int

  public let pageCount: Int
  public var snap: DragSnap
  public var snapDuration: Duration
  public var snapCurve: TimingCurve

  /// The width from which a page is not alone: drags are ignored when the host is wide enough for all pages.
  public var minimumPageWidth: Double?

  /// Called when `page` has changed.
  public var onPageChange: ((Int) -> Void)?

  public private(set) var isDragging = false

  private weak var host: View?
  private weak var container: View?
  private let leading: EdgeConstraints.Pin
  private let trailing: EdgeConstraints.Pin
  private var observation: BoundsObservation?
  /// Where a snap is going, or the page it rests on.
  private var target: Int
  private var displacement = 0.0
  private var previous = 0.0

  /// - Throws: `missingConstraint` when the container is not held at both ends, `noSuperview` without a host.
  public init(
    container: View, pageCount: Int = 2, page: Int = 0, snap: DragSnap = DragSnap(),
    snapDuration: Duration = .milliseconds(300), snapCurve: TimingCurve = .easeInOut
  ) throws(LowerView.Failure) {
    guard let host = container.superview else { throw .noSuperview }
    do throws(MissingEdge) {
      leading = try host.pin(of: container, .leading)
      trailing = try host.pin(of: container, .trailing)
    } catch {
      throw .missingConstraint(error.attribute)
    }
    self.host = host
    self.container = container
    self.pageCount = max(1, pageCount)
    self.page = min(max(page, 0), self.pageCount - 1)
    self.snap = snap
    self.snapDuration = snapDuration
    self.snapCurve = snapCurve
    target = self.page
    host.clipsToBounds = true
    observation = host.observeBounds { [weak self] _ in
      guard let self, !self.isDragging else { return }
      self.move(to: self.rest(of: self.target))
    }
    move(to: rest(of: self.page))
  }

  /// A recognizer that drives the controller, to be added to the container or to the host.
  public func makePanGestureRecognizer() -> PanGestureRecognizer {
    PanGestureRecognizer { [weak self] pan in
      guard let self else { return }
      let location = pan.location(in: self.host).x
      switch pan.state {
      case .began: self.dragBegan(at: location)
      case .changed: self.dragMoved(to: location, velocity: pan.velocity(in: self.host).dx)
      case .ended: self.dragEnded(velocity: pan.velocity(in: self.host).dx)
      case .cancelled: self.dragCancelled()
      case .possible, .failed: break
      }
    }
  }

  /// Goes to a page without a drag.
  public func show(page newPage: Int, animated: Bool) {
    let bounded = min(max(newPage, 0), pageCount - 1)
    isDragging = false
    if animated {
      settle(on: bounded)
    } else {
      target = bounded
      if let container { container.window?.cancelAnimations(of: container) }
      move(to: rest(of: bounded))
      container?.layoutIfNeeded()
      change(to: bounded)
    }
  }

  /// The pointer was pressed: a slide under way stops where it is seen. Points.
  public func dragBegan(at location: Double) {
    guard let host, let container, !fitsAllPages else { return }
    // What is on screen becomes the model: nothing leaps when a running snap is caught.
    displacement = container.presentationFrame.minX - host.presentationFrame.minX
    container.window?.cancelAnimations(of: container)
    isDragging = true
    previous = location
    move(to: displacement)
    container.layoutIfNeeded()
  }

  /// The pointer has moved; the pages follow. Points, and points a second.
  public func dragMoved(to location: Double, velocity: Double) {
    guard isDragging else { return }
    let step = snap.step(delta: location - previous, velocity: velocity)
    previous = location
    displacement = snap.clamp(displacement + step, count: pageCount, length: length)
    move(to: displacement)
    container?.layoutIfNeeded()
  }

  /// The pointer was released: the nearest page, or the next one at a fast release, slides into place.
  public func dragEnded(velocity: Double) {
    guard isDragging else { return }
    isDragging = false
    settle(
      on: snap.target(
        page: page, count: pageCount, offset: displacement - rest(of: page), velocity: velocity,
        length: length))
  }

  /// Cancels a drag (focus lost, window resized): back to where it was.
  public func dragCancelled() {
    guard isDragging else { return }
    isDragging = false
    settle(on: page)
  }

  private var fitsAllPages: Bool {
    guard let host, let minimumPageWidth else { return false }
    return host.windowFrame.width >= minimumPageWidth * Double(pageCount)
  }

  private var length: Double { host.map { Double($0.snapped.cells.width) } ?? 0 }

  private func rest(of page: Int) -> Double { -Double(page) * length }

  /// The container's two edges together: it is as wide as all pages.
  private func move(to displacement: Double) {
    leading.displacement = displacement
    trailing.displacement = displacement + Double(pageCount - 1) * length
  }

  private func settle(on newTarget: Int) {
    target = newTarget
    guard let container, let window = container.window else {
      move(to: rest(of: newTarget))
      change(to: newTarget)
      return
    }
    window.animate(withDuration: snapDuration, curve: snapCurve, options: .layoutFirst) {
      move(to: rest(of: newTarget))
      container.layoutIfNeeded()
    } completion: { [weak self] finished in
      guard let self, finished, self.target == newTarget, !self.isDragging else { return }
      self.change(to: newTarget)
    }
  }

  private func change(to newPage: Int) {
    guard newPage != page else { return }
    page = newPage
    onPageChange?(newPage)
  }
}

/// How pages change: how long, along which curve, and what the buttons look like.
public struct PagedTransition: Sendable, Hashable {
  /// What a choice does that comes while pages are moving.
  public enum Interruption: Sendable, Hashable {
    /// The motion turns round from where it is.
    case retarget
    /// It is ignored, and the buttons are disabled until the slide is over.
    case lock
  }

  public var duration: Duration
  public var curve: TimingCurve
  public var activeTint: Color
  public var inactiveTint: Color
  public var interruption: Interruption

  public init(
    duration: Duration = .milliseconds(250), curve: TimingCurve = .easeInOut,
    activeTint: Color = Color(0, 255, 255), inactiveTint: Color = Color(10, 96, 254),
    interruption: Interruption = .retarget
  ) {
    self.duration = duration
    self.curve = curve
    self.activeTint = activeTint
    self.inactiveTint = inactiveTint
    self.interruption = interruption
  }
}

/// The line pages move along.
public enum TransitionAxis: Sendable, Hashable, CaseIterable {
  case horizontal, vertical
}

/// Where a page goes.
public enum SlideDirection: Sendable, Hashable, CaseIterable {
  case left, right, up, down

  var axis: TransitionAxis {
    switch self {
    case .left, .right: .horizontal
    case .up, .down: .vertical
    }
  }

  /// One step in window coordinates.
  var step: Slot {
    switch self {
    case .left: Slot(x: -1, y: 0)
    case .right: Slot(x: 1, y: 0)
    case .up: Slot(x: 0, y: -1)
    case .down: Slot(x: 0, y: 1)
    }
  }
}
