import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

/// T13: whatever an animator has animated, at its end the model says what the screen shows.
@Suite struct RestoredModelTests {
  /// A box ten columns wide.
  struct Scene {
    let window = Window(size: Size(width: 100, height: 10))
    let box = View(identifier: "box")
    let leading: LayoutConstraint
    let top: LayoutConstraint

    init() throws {
      window.root.addSubview(box)
      leading = box.leadingAnchor.constraint(equalTo: window.root.leadingAnchor)
      top = box.topAnchor.constraint(equalTo: window.root.topAnchor)
      try LayoutConstraint.activate([
        leading, top, box.widthAnchor.constraint(equalToConstant: 10),
        box.heightAnchor.constraint(equalToConstant: 1),
      ])
      window.advance(to: .zero)
    }

    func animator(_ curve: TimingCurve = .linear, _ animations: @escaping () -> Void) -> PropertyAnimator {
      PropertyAnimator(window: window, duration: .seconds(1), curve: curve, animations: animations)
    }

    func wait(_ milliseconds: Int) { window.advance(to: window.time + .milliseconds(milliseconds)) }

    /// Any later layout: what the model really says.
    func settle() {
      top.constant += 1
      window.layoutNow()
      top.constant -= 1
      window.layoutNow()
      window.advance(to: window.time)
    }
  }

  enum Order: CaseIterable { case before, inside, both }

  @Test(
    "a constant changed before, inside or on both sides goes back on reversal",
    arguments: Order.allCases)
  func reversal(order: Order) throws {
    let scene = try Scene()
    if order != .inside { scene.leading.constant = order == .before ? 40 : 15 }
    let animator = scene.animator {
      if order != .before { scene.leading.constant = 40 }
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(500)
    #expect(scene.box.presentationFrame.minX == 20)
    animator.isReversed = true
    scene.wait(1000)
    #expect(animator.state == .inactive)
    #expect(scene.box.cellFrame.x0 == 0 && scene.leading.constant == 0)
    scene.settle()
    #expect(scene.box.cellFrame.x0 == 0)
    #expect(scene.window.diagnostics.isEmpty)
  }

  @Test("stopped at once, it stays where it is seen", arguments: Order.allCases)
  func stops(order: Order) throws {
    let scene = try Scene()
    if order != .inside { scene.leading.constant = order == .before ? 40 : 15 }
    let animator = scene.animator {
      if order != .before { scene.leading.constant = 40 }
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(250)
    animator.stopAnimation(true)
    #expect(scene.box.cellFrame.x0 == 10)
    scene.settle()
    #expect(scene.box.cellFrame.x0 == 10)
    #expect(scene.window.diagnostics.isEmpty)
  }

  @Test("a constant set twice in a block is one change")
  func twice() throws {
    let scene = try Scene()
    let animator = scene.animator {
      scene.leading.constant = 80
      scene.leading.constant = 40
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(250)
    animator.stopAnimation(true)
    scene.settle()
    #expect(scene.box.cellFrame.x0 == 10)
  }

  @Test("blocks that begin later stop where each of them is")
  func delayed() throws {
    let scene = try Scene()
    let animator = scene.animator {
      scene.leading.constant = 40
      scene.window.layoutNow()
    }
    animator.addAnimations(delayFactor: 0.5) {
      scene.top.constant = 8
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(750)
    #expect(scene.box.cellFrame.x0 == 30 && scene.box.cellFrame.y0 == 4)
    animator.stopAnimation(true)
    scene.settle()
    #expect(scene.box.cellFrame.x0 == 30 && scene.box.cellFrame.y0 == 4)
    #expect(scene.window.diagnostics.isEmpty)
  }

  @Test("priorities go back on reversal, also to and from required", arguments: [false, true])
  func priorities(changedBefore: Bool) throws {
    let scene = try Scene()
    let far = scene.box.leadingAnchor.constraint(equalTo: scene.window.root.leadingAnchor, constant: 40)
      .with(priority: 500)
    scene.leading.priority = 750
    try LayoutConstraint.activate([far])
    scene.window.layoutNow()
    func swap() {
      scene.leading.priority = 250
      far.priority = .required
    }
    if changedBefore { swap() }
    let animator = scene.animator {
      if !changedBefore { swap() }
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(500)
    #expect(scene.box.presentationFrame.minX == 20)
    animator.isReversed = true
    scene.wait(1000)
    #expect(scene.leading.priority == 750 && far.priority == 500)
    scene.settle()
    #expect(scene.box.cellFrame.x0 == 0)
    #expect(scene.window.diagnostics.isEmpty)
  }

  @Test("activations go back on reversal, as one change", arguments: [false, true])
  func activations(changedBefore: Bool) throws {
    let scene = try Scene()
    let far = scene.box.leadingAnchor.constraint(equalTo: scene.window.root.leadingAnchor, constant: 40)
    func swap() {
      scene.leading.isActive = false
      far.isActive = true
    }
    if changedBefore { swap() }
    let animator = scene.animator {
      if !changedBefore { swap() }
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(500)
    #expect(scene.box.presentationFrame.minX == 20)
    animator.isReversed = true
    scene.wait(1000)
    #expect(scene.leading.isActive && !far.isActive)
    scene.settle()
    #expect(scene.box.cellFrame.x0 == 0)
    #expect(scene.window.diagnostics.isEmpty)
  }

  @Test("what has nothing between its ends and leaps is reported by name")
  func leapIsReported() throws {
    let scene = try Scene()
    let far = scene.box.leadingAnchor.constraint(equalTo: scene.window.root.leadingAnchor, constant: 40)
      .with(priority: 500)
    scene.leading.priority = 750
    try LayoutConstraint.activate([far])
    scene.window.layoutNow()
    let animator = scene.animator {
      far.priority = 900
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(500)
    animator.stopAnimation(true)
    #expect(scene.box.cellFrame.x0 == 40)
    #expect(scene.window.diagnostics == [.modelNotRestored("box")])
  }

  @Test("a view that comes with the animation is not taken back")
  func newViewsStay() throws {
    let scene = try Scene()
    let label = View(identifier: "label")
    scene.window.root.addSubview(label)
    let pins = label.pinned(to: scene.box)
    try LayoutConstraint.activate(pins)
    let animator = scene.animator {
      scene.leading.constant = 40
      scene.window.layoutNow()
    }
    animator.startAnimation()
    scene.wait(500)
    animator.isReversed = true
    scene.wait(1000)
    #expect(pins.allSatisfy(\.isActive) && label.cellFrame == scene.box.cellFrame)
    #expect(label.windowFrame.width == 10)
  }

  @Test("restoring can be turned off, and then nothing is reported")
  func turnedOff() throws {
    let scene = try Scene()
    scene.leading.constant = 40
    let animator = scene.animator { scene.window.layoutNow() }
    animator.restoresModelWhenReversed = false
    animator.startAnimation()
    scene.wait(500)
    animator.isReversed = true
    scene.wait(1000)
    #expect(scene.leading.constant == 40 && scene.window.diagnostics.isEmpty)
  }

  @Test("a window dropped with a paused animator is freed, with its views and the animator")
  func droppedWindow() throws {
    weak var window: Window?
    weak var box: View?
    weak var animator: PropertyAnimator?
    var kept: PropertyAnimator?
    do {
      let scene = try Scene()
      let paused = scene.animator {
        scene.leading.constant = 40
        scene.box.layoutIfNeeded()
      }
      paused.startAnimation()
      scene.wait(300)
      paused.pauseAnimation()
      let other = PropertyAnimator(window: scene.window, duration: .seconds(1), curve: .linear)
      other.addAnimations { [box = scene.box] in box.alpha = 0 }
      other.fractionComplete = 0.5
      kept = other
      window = scene.window
      box = scene.box
      animator = paused
    }
    #expect(window == nil && box == nil && animator == nil)
    #expect(kept?.state == .inactive && kept?.isRunning == false)
    kept?.startAnimation()
    #expect(kept?.state == .inactive)
  }
}
