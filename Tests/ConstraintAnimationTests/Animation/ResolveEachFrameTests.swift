import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct ResolveEachFrameTests {
  struct Scene {
    let window = Window(size: Size(width: 100, height: 10))
    let box = View(identifier: "box")
    let leading: LayoutConstraint

    init() throws {
      window.root.addSubview(box)
      leading = box.leadingAnchor.constraint(equalTo: window.root.leadingAnchor)
      try LayoutConstraint.activate([
        leading, box.topAnchor.constraint(equalTo: window.root.topAnchor),
        box.widthAnchor.constraint(equalToConstant: 10), box.heightAnchor.constraint(equalToConstant: 1),
      ])
      window.advance(to: .zero)
    }

    var x: Double { box.presentationFrame.minX }

    func move(
      to constant: Double, _ options: AnimationOptions = .resolveEachFrame, curve: TimingCurve = .linear,
      completion: ((Bool) -> Void)? = nil
    ) {
      window.animate(withDuration: .seconds(1), curve: curve, options: options) {
        leading.constant = constant
        window.layoutNow()
      } completion: {
        completion?($0)
      }
    }

    func wait(_ milliseconds: Int) { window.advance(to: window.time + .milliseconds(milliseconds)) }
  }

  @Test("canceling ends it on the model and tells the completion")
  func cancel() throws {
    for finishing in [false, true] {
      let scene = try Scene()
      var ends: [Bool] = []
      scene.move(to: 40) { ends.append($0) }
      scene.wait(500)
      #expect(scene.x == 20)
      scene.window.cancelAnimations(of: scene.box, finishing: finishing)
      #expect(ends == [finishing])
      #expect(scene.x == 40 && !scene.window.isAnimating)
      scene.wait(100)
      #expect(scene.x == 40)
      scene.window.advance(to: scene.window.time)
      #expect(scene.window.nextDeadline == nil)
    }
  }

  @Test("canceling another view leaves it alone")
  func cancelOther() throws {
    let scene = try Scene()
    let other = View()
    scene.window.root.addSubview(other)
    scene.move(to: 40)
    scene.wait(500)
    scene.window.cancelAnimations(of: other)
    scene.wait(250)
    #expect(scene.x == 30)
  }

  @Test("removing the view ends it; put back, its constraint has its own constant")
  func removal() throws {
    let scene = try Scene()
    var ends: [Bool] = []
    scene.move(to: 40) { ends.append($0) }
    scene.wait(500)
    scene.box.removeFromSuperview()
    #expect(ends == [false] && !scene.window.isAnimating)
    scene.window.root.addSubview(scene.box)
    try LayoutConstraint.activate([
      scene.leading, scene.box.topAnchor.constraint(equalTo: scene.window.root.topAnchor),
    ])
    scene.wait(100)
    #expect(scene.box.windowFrame.minX == 40)
  }

  @Test("a constraint inside a removed subtree starts afresh with it")
  func removalOfSubtree() throws {
    let scene = try Scene()
    let inner = View()
    scene.box.addSubview(inner)
    let inset = inner.leadingAnchor.constraint(equalTo: scene.box.leadingAnchor)
    try LayoutConstraint.activate([inset, inner.widthAnchor.constraint(equalToConstant: 2)])
    scene.window.layoutNow()
    var ends: [Bool] = []
    scene.window.animate(withDuration: .seconds(1), curve: .linear, options: .resolveEachFrame) {
      inset.constant = 8
      scene.window.layoutNow()
    } completion: {
      ends.append($0)
    }
    scene.wait(500)
    #expect(inner.windowFrame.minX == 4)
    scene.box.removeFromSuperview()
    #expect(ends == [false])
    scene.window.root.addSubview(scene.box)
    try LayoutConstraint.activate([scene.leading])
    scene.wait(0)
    #expect(inner.windowFrame.minX == 8)
  }

  @Test("deactivating the constraint ends it, and it comes back with its own constant")
  func deactivation() throws {
    let scene = try Scene()
    var ends: [Bool] = []
    scene.move(to: 40) { ends.append($0) }
    scene.wait(500)
    scene.leading.isActive = false
    #expect(ends == [false] && !scene.window.isAnimating)
    scene.leading.isActive = true
    scene.wait(100)
    #expect(scene.x == 40)
  }

  @Test(
    "taken over, by another of its kind or by one that interpolates edges: from what is seen, the first told false",
    arguments: [.resolveEachFrame, []] as [AnimationOptions])
  func takeover(kind: AnimationOptions) throws {
    let scene = try Scene()
    var ends: [Bool] = []
    scene.move(to: 40) { ends.append($0) }
    scene.wait(500)
    scene.move(to: 0, kind.union(.beginFromCurrentState)) { ends.append($0) }
    #expect(ends == [false])
    #expect(scene.x == 20)
    scene.wait(500)
    #expect(scene.x == 10)
    scene.wait(500)
    #expect(scene.x == 0 && ends == [false, true])
  }

  @Test("a spring takes the speed over")
  func takeoverWithSpeed() throws {
    let scene = try Scene()
    scene.move(to: 80)
    scene.wait(500)
    let spring = TimingCurve.spring(SpringTiming(dampingRatio: 1, duration: .seconds(1)))
    scene.move(to: 0, [.resolveEachFrame, .beginFromCurrentState], curve: spring)
    #expect(scene.x == 40)
    scene.wait(20)
    // 80 columns a second to the right: without it the spring would go left at once.
    #expect(scene.x >= 41)
    scene.wait(2000)
    #expect(scene.x == 0)
  }

  @Test("without taking over, two add up and both end with true")
  func additive() throws {
    let scene = try Scene()
    var ends: [Bool] = []
    scene.move(to: 40) { ends.append($0) }
    scene.wait(500)
    scene.move(to: 0) { ends.append($0) }
    #expect(scene.x == 20)
    scene.wait(250)
    // 40 × ¾ up so far, 40 × ¼ back.
    #expect(scene.x == 20)
    scene.wait(750)
    #expect(scene.x == 0 && ends == [true, true])
  }
}

@Suite struct NestedAdvanceTests {
  @Test("advance inside a completion: time never runs backwards")
  func advanceInCompletion() {
    let window = Window(size: Size(width: 40, height: 5))
    let box = View()
    box.frame = Rect(x: 0, y: 0, width: 4, height: 1)
    window.root.addSubview(box)
    window.advance(to: .zero)
    var times: [MotionTime] = []
    window.animate(withDuration: .milliseconds(100), curve: .linear) {
      box.frame.origin.x = 10
    } completion: { _ in
      times.append(window.time)
      window.advance(to: .seconds(2))
      times.append(window.time)
    }
    window.animate(withDuration: .milliseconds(300)) {
      box.alpha = 0.5
    } completion: { _ in
      times.append(window.time)
    }
    let change = window.advance(to: .milliseconds(200))
    #expect(times == [.milliseconds(100), .milliseconds(300), .seconds(2)])
    #expect(window.time == .seconds(2) && change.time == .seconds(2))
    #expect(box.presentationAlpha == 0.5)
    // What begins now begins now.
    window.animate(withDuration: .seconds(1), curve: .linear) { box.frame.origin.x = 20 }
    window.advance(to: .milliseconds(2500))
    #expect(box.presentationFrame.minX == 15)
  }

  @Test("events sent from a completion do the same")
  func sendInCompletion() {
    let window = Window(size: Size(width: 40, height: 5))
    window.animate(withDuration: .milliseconds(100)) {
    } completion: { _ in
      window.send(InputEvent(kind: .focusLost), at: .seconds(1))
    }
    window.advance(to: .milliseconds(150))
    #expect(window.time == .seconds(1))
  }
}
