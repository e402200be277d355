/// Shows one of several named pages in a host and slides to another when asked: the old and the new page move
/// together, in the direction their order gives.
///
/// Pages are thought of as lying side by side in a plane that moves under the host. A choice made while pages are
/// moving turns the plane round from where it is: whatever is visible goes on moving as one, nothing leaps, and when
/// it comes to rest exactly the page chosen last is visible.
public final class LowerViewManager<Kind: RawRepresentable & Hashable & CaseIterable>
where Kind.RawValue == Int {
  public var style: PagedTransition

  /// The page chosen last; it is visible at rest.
  public internal(set) var active: Kind

  /// Whether pages are moving.
  public internal(set) var isSliding = false

  /// How a drag of the pages snaps.
  public var snap = DragSnap()
  public var snapDuration: Duration = .milliseconds(300)

  /// Called when a slide has come to rest.
  public var onSettle: ((Kind) -> Void)?

  struct Page {
    var lowerView: LowerView
    /// Where it is in the plane, relative to the host; nil while it is put away.
    var slot: Slot?
  }

  var pages: [Kind: Page] = [:]
  weak var host: View?
  var drag: PageDrag?
  private var observation: BoundsObservation?
  private var generation = 0

  public init(style: PagedTransition = PagedTransition(), active: Kind) {
    self.style = style
    self.active = active
  }

  /// Takes a page in. Its tag says which kind it is; its superview becomes the host, which is made to clip so that
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

  func intactPage(_ kind: Kind) throws(LowerView.Failure) -> Page {
    guard let page = pages[kind], let view = page.lowerView.view, let button = page.lowerView.button,
      view.superview != nil
    else { throw .missingPage(kind.rawValue) }
    if !page.lowerView.isIntact { _ = try LowerView(view: view, button: button) }
    return page
  }

  /// Puts a page that is not visible beside the others: behind the last one on the side it is to come from.
  func bringIn(_ kind: Kind, _ page: Page, _ direction: SlideDirection) {
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
  func moveActiveToCenter(duration: Duration, curve: TimingCurve) {
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

  func placePages() {
    for page in pages.values {
      if let slot = page.slot { page.lowerView.place(at: slot, offset: drag?.displacement ?? .zero) }
    }
  }

  /// Completions of slides begun before say nothing any more.
  func supersedeSlide() {
    generation += 1
    isSliding = true
  }

  /// The end of the last slide: only the active page stays visible, the buttons say so.
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
