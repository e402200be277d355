/// Shows one of several named pages in a host and slides to another when asked: the old and the new page move
/// together, in the direction their order gives.
///
/// Pages lie side by side in a plane that moves under the host. Choosing a page while pages are
/// moving redirects the plane from where it is: whatever is visible keeps moving as one, nothing jumps, and when
/// it comes to rest exactly the page chosen last is visible.
public final class LowerViewManager<Kind: RawRepresentable & Hashable & CaseIterable>
where Kind.RawValue == Int {
  public var style: PagedTransition

  /// The page chosen last; it is visible at rest.
  public private(set) var active: Kind

  /// Whether pages are moving.
  public private(set) var isSliding = false

  /// How a drag of the pages snaps.
  public var snap = DragSnap()
  public var snapDuration: Duration = .milliseconds(300)

  /// Called when a slide has come to rest.
  public var onSettle: ((Kind) -> Void)?

  private struct Page {
    var lowerView: LowerView
    /// Where it is in the plane, relative to the host; nil while it is put away.
    var slot: Slot?
  }

  private var pages: [Kind: Page] = [:]
  private weak var host: View?
  private var drag: PageDrag?
  private var observation: BoundsObservation?
  private var generation = 0

  public init(style: PagedTransition = PagedTransition(), active: Kind) {
    self.style = style
    self.active = active
  }

  /// Adds a page. Its tag is its kind; its superview becomes the host, which is made to clip so that
  /// pages do not paint over its neighbors.
  public func add(view: View, button: View) throws(LowerView.Failure) {
    guard let kind = Kind(rawValue: view.tag) else { throw .invalidTag(view.tag) }
    let lowerView = try LowerView(view: view, button: button)
    if let host, host !== view.superview, !pages.isEmpty { throw .differentHost }
    adopt(host: view.superview)
    let isActive = kind == active
    pages[kind] = Page(lowerView: lowerView, slot: isActive ? .center : nil)
    view.isHidden = !isActive
    button.tintColor = isActive ? style.activeTint : style.inactiveTint
  }

  /// Slides left to a page further on in the order, right to an earlier one.
  /// - Throws: `missingPage` or `missingConstraint`; nothing has changed then.
  public func slideHorizontally(activate kind: Kind) throws(LowerView.Failure) {
    try slide(to: kind, active.rawValue < kind.rawValue ? .left : .right)
  }

  /// Slides down to a page further on in the order, up to an earlier one.
  /// - Throws: `missingPage` or `missingConstraint`; nothing has changed then.
  public func slideVertically(activate kind: Kind) throws(LowerView.Failure) {
    try slide(to: kind, kind.rawValue < active.rawValue ? .up : .down)
  }

  /// Slides to a page in a direction of the caller's choice. The page that is active already stays.
  public func slide(to kind: Kind, _ direction: SlideDirection) throws(LowerView.Failure) {
    guard kind != active else { return }
    let page = try intactPage(kind)
    if isSliding, style.interruption == .lock { return }
    drag = nil
    bringIn(kind, page, direction)
    active = kind
    moveActiveToCenter(duration: style.duration, curve: style.curve)
  }

  private func intactPage(_ kind: Kind) throws(LowerView.Failure) -> Page {
    guard let page = pages[kind], let view = page.lowerView.view, let button = page.lowerView.button,
      view.superview != nil
    else { throw .missingPage(kind.rawValue) }
    if !page.lowerView.isIntact { _ = try LowerView(view: view, button: button) }
    return page
  }

  /// Puts a page that is not visible beside the others: behind the last one on the side it is to come from.
  private func bringIn(_ kind: Kind, _ page: Page, _ direction: SlideDirection) {
    guard pages[kind]?.slot == nil, let view = page.lowerView.view else { return }
    var slot = Slot.center
    while pages.values.contains(where: { $0.slot == slot }) { slot = slot - direction.step }
    pages[kind]?.slot = slot
    guard let window = view.window else { return }
    window.performWithoutAnimation {
      page.lowerView.place(at: slot, offset: drag?.displacement ?? .zero)
      view.layoutIfNeeded()
    }
    if let neighbor = pages[active]?.lowerView.view {
      window.shareFrameAnimations(of: neighbor, with: view)
    }
    view.isHidden = false
  }

  /// Moves the plane so that the active page comes to lie on the host.
  private func moveActiveToCenter(duration: Duration, curve: TimingCurve) {
    guard let shift = pages[active]?.slot else { return }
    generation += 1
    let current = generation
    isSliding = true
    if style.interruption == .lock { setButtons(enabled: false) }
    for (kind, page) in pages {
      if let slot = page.slot { pages[kind]?.slot = slot - shift }
    }
    guard let window = host?.window else {
      placePages()
      settle()
      return
    }
    window.animate(withDuration: duration, curve: curve, options: .layoutFirst) {
      placePages()
      host?.layoutIfNeeded()
    } completion: { [weak self] _ in
      guard let self, current == self.generation else { return }
      self.settle()
    }
  }

  private func placePages() {
    for page in pages.values {
      if let slot = page.slot { page.lowerView.place(at: slot, offset: drag?.displacement ?? .zero) }
    }
  }

  /// Incremented by each slide: completions of earlier slides are ignored.
  private func supersedeSlide() {
    generation += 1
    isSliding = true
  }

  /// Hides all but the active page and updates the buttons, when the last slide has ended.
  private func settle() {
    isSliding = false
    for (kind, page) in pages {
      let isActive = kind == active
      if !isActive {
        pages[kind]?.slot = nil
        page.lowerView.view?.isHidden = true
      }
      page.lowerView.button?.tintColor = isActive ? style.activeTint : style.inactiveTint
    }
    if style.interruption == .lock { setButtons(enabled: true) }
    host?.layoutIfNeeded()
    onSettle?(active)
  }

  private func setButtons(enabled: Bool) {
    for page in pages.values { page.lowerView.button?.isEnabled = enabled }
  }

  private func adopt(host newHost: View?) {
    guard let newHost, newHost !== host else { return }
    host = newHost
    newHost.clipsToBounds = true
    // A resize moves what is on its way to places that fit the new size.
    observation = newHost.observeBounds { [weak self] _ in self?.placePages() }
  }
}

extension LowerViewManager {
  /// A recognizer that drags the pages along an axis, to be added to the host: they follow the pointer, the
  /// neighbor comes in behind, and let go they snap by distance or speed.
  public func makePanGestureRecognizer(along axis: TransitionAxis = .horizontal) -> PanGestureRecognizer {
    PanGestureRecognizer { [weak self] pan in
      guard let self else { return }
      let location = pan.location(in: nil)
      let velocity = pan.velocity(in: nil)
      let place = axis == .horizontal ? location.x : location.y
      let speed = axis == .horizontal ? velocity.dx : velocity.dy
      switch pan.state {
      case .began: self.dragBegan(at: place, along: axis)
      case .changed: self.dragMoved(to: place, velocity: speed)
      case .ended: self.dragEnded(velocity: speed)
      case .cancelled: self.dragCancelled()
      case .possible, .failed: break
      }
    }
  }

  /// Begins a drag from where the pages are on screen, at rest or in the middle of a slide.
  public func dragBegan(at location: Double, along axis: TransitionAxis) {
    guard let host, let view = pages[active]?.lowerView.view, host.window != nil else { return }
    if isSliding, style.interruption == .lock { return }
    let offset = view.presentationFrame.origin - host.presentationFrame.origin
    drag = PageDrag(
      axis: axis, offset: axis == .horizontal ? offset.dx : offset.dy,
      across: axis == .horizontal ? offset.dy : offset.dx, previous: location)
    supersedeSlide()
    for page in pages.values where page.slot != nil {
      if let view = page.lowerView.view { host.window?.cancelAnimations(of: view) }
    }
    placePages()
    host.layoutIfNeeded()
  }

  /// The pointer has moved. Its place in points, and its speed in points a second, along the host's edge.
  public func dragMoved(to location: Double, velocity: Double) {
    guard var moved = drag else { return }
    let step = snap.step(delta: location - moved.previous, velocity: velocity)
    moved.previous = location
    moved.offset = clamped(moved.offset + step, along: moved.axis)
    drag = moved
    bringInNeighbor(of: moved)
    placePages()
    host?.layoutIfNeeded()
  }

  /// The pointer was released: the nearest page, or the next one at a fast release, slides into place.
  public func dragEnded(velocity: Double) {
    guard let ended = drag else { return }
    var target = active
    let direction = ended.offset < 0 ? 1 : -1
    let goesOn =
      snap.isFast(velocity)
      ? (velocity < 0) == (ended.offset < 0)
      : abs(ended.offset) > length(along: ended.axis) * snap.distance
    if ended.offset != 0, goesOn, let next = neighbor(direction) { target = next }
    finishDrag(on: target)
  }

  /// Cancels a drag (focus lost, window resized): back to where it was.
  public func dragCancelled() {
    if drag != nil { finishDrag(on: active) }
  }

  private func finishDrag(on target: Kind) {
    active = target
    drag = nil
    moveActiveToCenter(duration: snapDuration, curve: style.curve)
  }

  private func length(along axis: TransitionAxis) -> Double {
    guard let cells = host?.snapped.cells else { return 0 }
    return Double(axis == .horizontal ? cells.width : cells.height)
  }

  /// One page each way; half of one where there is no page to come.
  private func clamped(_ offset: Double, along axis: TransitionAxis) -> Double {
    let length = self.length(along: axis)
    let left = neighbor(1) == nil ? snap.overrun * length : length
    let right = neighbor(-1) == nil ? snap.overrun * length : length
    return min(max(offset, -left), right)
  }

  private func bringInNeighbor(of drag: PageDrag) {
    guard drag.offset != 0, let next = neighbor(drag.offset < 0 ? 1 : -1), let page = pages[next] else {
      return
    }
    let direction: SlideDirection =
      switch (drag.axis, drag.offset < 0) {
      case (.horizontal, true): .left
      case (.horizontal, false): .right
      case (.vertical, true): .up
      case (.vertical, false): .down
      }
    bringIn(next, page, direction)
  }

  /// The next page in the order, or the one before, that is still there.
  private func neighbor(_ step: Int) -> Kind? {
    let order = pages.filter { $0.value.lowerView.isIntact }.keys.sorted { $0.rawValue < $1.rawValue }
    guard let index = order.firstIndex(of: active) else { return nil }
    return order.indices.contains(index + step) ? order[index + step] : nil
  }
}

/// A page and the button that shows it. Neither is kept alive by this.
///
/// The page is held by four constraints to its host, in whichever order their items were written; their constants
/// move it in and out.
public struct LowerView {
  /// Why a page and its button cannot be used.
  public enum Failure: Error, Sendable, Hashable {
    /// No active constraint ties this edge of the page to its superview.
    case missingConstraint(LayoutAttribute)
    /// The page is in no view.
    case noSuperview
    /// The page's tag is none of the kinds.
    case invalidTag(Int)
    /// The page of this kind is not there (any more).
    case missingPage(Int)
    /// The page is not in the same host as the others.
    case differentHost
  }

  public private(set) weak var view: View?
  public private(set) weak var button: View?
  private let pins: WeakPins

  /// - Throws: `noSuperview`, or `missingConstraint` for the first edge that is not pinned.
  public init(view: View, button: View) throws(Failure) {
    guard let host = view.superview else { throw .noSuperview }
    do throws(MissingEdge) {
      pins = WeakPins(try host.edgeConstraints(of: view))
    } catch {
      throw .missingConstraint(error.attribute)
    }
    self.view = view
    self.button = button
  }

  /// Whether the page is still in its host, held by all four constraints.
  var isIntact: Bool { view?.superview != nil && pins.areActive }

  /// Puts the page a number of hosts away from its place. The host's size in whole cells counts: the page then moves
  /// by whole cells and keeps its size wherever it is.
  func place(at slot: Slot, offset: Vector) {
    guard let host = view?.superview else { return }
    let cells = host.snapped.cells
    displace(
      x: Double(slot.x * cells.width) + offset.dx, y: Double(slot.y * cells.height) + offset.dy)
  }

  func displace(x: Double, y: Double) { pins.displace(x: x, y: y) }
}

/// A drag of the pages in progress.
private struct PageDrag {
  var axis: TransitionAxis
  /// The distance of the active page from its place, along the axis.
  var offset: Double
  /// The distance of the active page from its place, across the axis: what a slide left when the drag caught it.
  var across: Double
  var previous: Double

  var displacement: Vector {
    axis == .horizontal ? Vector(dx: offset, dy: across) : Vector(dx: across, dy: offset)
  }
}

/// A position in the plane of pages around a host, in whole pages; (0, 0) is visible.
struct Slot: Hashable, Sendable {
  var x: Int
  var y: Int

  static let center = Slot(x: 0, y: 0)

  static func + (left: Slot, right: Slot) -> Slot { Slot(x: left.x + right.x, y: left.y + right.y) }
  static func - (left: Slot, right: Slot) -> Slot { Slot(x: left.x - right.x, y: left.y - right.y) }
}

/// The four pins without keeping the constraints alive.
private struct WeakPins {
  private struct Pin {
    weak var constraint: LayoutConstraint?
    let sign: Double

    init(_ pin: EdgeConstraints.Pin) {
      constraint = pin.constraint
      sign = pin.sign
    }
  }

  private let horizontal: [Pin]
  private let vertical: [Pin]

  init(_ edges: EdgeConstraints) {
    horizontal = [Pin(edges.leading), Pin(edges.trailing)]
    vertical = [Pin(edges.top), Pin(edges.bottom)]
  }

  var areActive: Bool {
    (horizontal + vertical).allSatisfy { $0.constraint?.isActive ?? false }
  }

  func displace(x: Double, y: Double) {
    for pin in horizontal { pin.constraint?.constant = x * pin.sign }
    for pin in vertical { pin.constraint?.constant = y * pin.sign }
  }
}
