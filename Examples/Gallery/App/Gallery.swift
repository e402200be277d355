import ConstraintAnimation

/// The gallery without a terminal: events and times go in, cells come out.
final class Gallery {
  let window: Window
  private(set) var screen: (any Screen)?
  private(set) var index = 0
  /// Somebody asked for the end.
  private(set) var isOver = false

  private(set) var palette: CommandPalette
  private var chrome: Chrome?
  private var stage = View()
  private var observation: BoundsObservation?
  private(set) var overlay: Overlay?
  /// The level that each screen begins with.
  private let motion: MotionLevel

  /// - Parameter screen: the first one to show, as an index into the catalog.
  init(columns: Int, rows: Int, screen: Int = 0, palette: CommandPalette = .dark, motion: MotionLevel = .full)
  {
    window = Window(size: Size(width: Double(columns), height: Double(rows)), motion: motion)
    self.palette = palette
    self.motion = motion
    index = screen
    build()
    // The stage is placed by hand: to the screens its frame is as fixed as the terminal's.
    observation = window.root.observeBounds { [weak self] root in
      self?.stage.frame = Chrome.area(in: root.bounds)
    }
  }

  // MARK: In

  /// - Returns: whether the event meant something.
  @discardableResult
  func handle(_ event: InputEvent, at time: MotionTime) -> Bool {
    window.send(event, at: time)
  }

  /// Goes to `time`.
  /// - Returns: the cells that may look different; empty when there is nothing to draw.
  func advance(to time: MotionTime) -> CellRegion {
    var damage = window.advance(to: time).damage
    screen?.refresh()
    chrome?.status.text = screen?.status ?? ""
    // What the screen says about this frame belongs to this frame.
    damage.formUnion(window.advance(to: time).damage)
    return damage
  }

  func resize(columns: Int, rows: Int) {
    window.resize(to: Size(width: Double(columns), height: Double(rows)))
  }

  func quit() { isOver = true }

  /// Another background, another palette: the screen begins anew.
  func setPalette(_ palette: CommandPalette) {
    guard palette != self.palette else { return }
    self.palette = palette
    build()
  }

  /// What a frame costs, for the footer.
  func setCost(_ text: String) { chrome?.cost.text = text }

  // MARK: Out

  var nextDeadline: MotionTime? { window.nextDeadline }

  var isAnimating: Bool { window.isAnimating }

  /// Draws what lies in `damage`; the rest of the canvas stays.
  func draw(on canvas: any CellCanvas, damage: CellRegion) { window.draw(on: canvas, damage: damage) }

  // MARK: Screens

  func show(_ newIndex: Int) {
    let count = Catalog.screens.count
    index = (newIndex % count + count) % count
    closeOverlay()
    raiseCurtain()
  }

  private func build() {
    for view in window.root.subviews { view.removeFromSuperview() }
    window.backdropColor = palette.background
    overlay = nil
    do {
      chrome = try Chrome(in: window.root, palette: palette, global: globalControls)
      stage = View()
      raiseCurtain()
    } catch {
      window.root.addSubview(notice(error, in: window.root.bounds))
    }
  }

  /// A fresh stage and the screen on it.
  private func raiseCurtain() {
    guard let chrome else { return }
    stage.removeFromSuperview()
    screen = nil
    stage = View(identifier: "stage")
    stage.clipsToBounds = true
    window.root.insertSubview(stage, at: 0)
    window.firstResponder = nil
    window.motionLevel = motion
    let type = Catalog.screens[index]
    stage.frame = Chrome.area(in: window.root.bounds)
    do {
      let screen = try type.init(on: Stage(view: stage, window: window, palette: palette))
      self.screen = screen
      chrome.show(type.card, index: index, controls: screen.controls, palette: palette)
    } catch {
      chrome.show(type.card, index: index, controls: [], palette: palette)
      stage.addSubview(notice(error, in: stage.bounds))
    }
  }

  private func notice(_ error: any Error, in bounds: Rect) -> View {
    let label = Label("This could not be shown: \(error)", style: CellStyle(foreground: palette.rose))
    label.frame = bounds
    return label
  }

  // MARK: The gallery's own controls

  private var globalControls: [Control] {
    [
      Control(.character("p"), "previous") { [weak self] in self.map { $0.show($0.index - 1) } },
      Control(.character("n"), "next") { [weak self] in self.map { $0.show($0.index + 1) } },
      Control(.character("l"), "list") { [weak self] in self?.toggle(.list) },
      Control(.character("?"), "help") { [weak self] in self?.toggle(.help) },
      Control(.character("q"), "quit") { [weak self] in self?.quit() },
    ]
  }

  private func toggle(_ kind: Overlay.Kind) {
    let isOpen = overlay?.kind == kind
    closeOverlay()
    guard !isOpen else { return }
    let overlay = Overlay(
      kind, current: index, palette: palette, choose: { [weak self] in self?.show($0) },
      close: { [weak self] in self?.closeOverlay() })
    window.root.addSubview(overlay)
    do {
      try LayoutConstraint.activate(overlay.pinnedCentered(on: window.root, size: overlay.wantedSize).all)
    } catch {
      overlay.removeFromSuperview()
      return
    }
    // Keys belong to what is in front: neither the recognizers nor the buttons behind it hear of them.
    stage.isUserInteractionEnabled = false
    chrome?.controls.isUserInteractionEnabled = false
    overlay.focusBehind = window.firstResponder
    window.firstResponder = overlay
    self.overlay = overlay
  }

  private func closeOverlay() {
    guard let overlay else { return }
    stage.isUserInteractionEnabled = true
    chrome?.controls.isUserInteractionEnabled = true
    self.overlay = nil
    overlay.removeFromSuperview()
    window.firstResponder = overlay.focusBehind
  }
}
