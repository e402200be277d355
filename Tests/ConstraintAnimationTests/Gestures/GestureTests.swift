import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

/// "Fear and Loathing in Auto Layout": tap, drag, pinch, rotate; and who wins.
@Suite struct GestureTests {
  @Test("a drag does not leap, wherever the view is grabbed", arguments: [(0.0, 0.0), (5, 3), (9, 5)])
  func noLeap(atX: Double, atY: Double) throws {
    let scene = try DraggableBox()
    let before = scene.box.cellFrame
    var pointer = Pointer(
      scene.window, x: Double(before.x0) + atX, y: Double(before.y0) + atY)
    pointer.press()
    pointer.move(by: 3, 2, over: .milliseconds(100), events: 1)
    #expect(scene.box.cellFrame == before.offsetBy(dx: 3, dy: 2))
    pointer.move(by: 4, -1, over: .milliseconds(100), events: 1)
    #expect(scene.box.cellFrame == before.offsetBy(dx: 7, dy: 1))
    pointer.release()
    pointer.press()
    pointer.move(by: -7, -1, over: .milliseconds(500))
    #expect(scene.box.cellFrame == before)
  }

  @Test("in the superview's coordinates a drag to the right stays one, however the view is turned")
  func translationInSuperview() throws {
    let scene = try DraggableBox()
    scene.box.transform = .rotation(.pi / 2)
    let center = scene.box.windowFrame
    var pointer = Pointer(scene.window, x: center.midX.rounded(.down), y: center.midY.rounded(.down))
    pointer.press()
    pointer.move(by: 3, over: .milliseconds(100), events: 1)
    #expect(scene.center.centerX.constant == 3)
    #expect(scene.center.centerY.constant == 0)
    let own = scene.pan.translation(in: scene.box)
    // Turned by a quarter, the view sees it as a move up; rows are twice as high as columns are wide.
    #expect(abs(own.dx) < 1e-9)
    #expect(abs(own.dy - -1.5) < 1e-9)
  }

  @Test("pinching keeps the center, stops at a minimum, and plus and minus come back")
  func pinch() throws {
    let scene = try DraggableBox()
    let before = scene.box.windowFrame
    func send(_ kind: InputEvent.Kind, _ modifiers: InputEvent.Modifiers = []) {
      scene.window.send(
        InputEvent(kind: kind, location: Point(x: before.midX, y: before.midY), modifiers: modifiers),
        at: scene.window.time + .milliseconds(30))
    }
    scene.window.firstResponder = scene.box
    for _ in 0..<4 {
      send(.wheel(ticks: 1), .control)
      #expect(abs(scene.box.windowFrame.midX - before.midX) < 1e-9)
      #expect(abs(scene.box.windowFrame.midY - before.midY) < 1e-9)
    }
    #expect(abs(scene.box.windowFrame.width - before.width * 1.1 * 1.1 * 1.1 * 1.1) < 1e-9)
    scene.window.advance(to: scene.window.time + .milliseconds(300))
    #expect(scene.states.last == .ended)
    send(.key(.character("0")))
    #expect(abs(scene.box.windowFrame.width - before.width) < 1e-9)
    scene.window.advance(to: scene.window.time + .milliseconds(300))
    for _ in 0..<60 { send(.key(.character("-"))) }
    #expect(scene.box.cellFrame.width >= 4 && scene.box.cellFrame.height >= 2)
    scene.window.advance(to: scene.window.time + .milliseconds(300))
    let small = scene.box.cellFrame
    send(.key(.character("+")))
    send(.key(.character("-")))
    #expect(scene.box.cellFrame == small)
  }

  @Test("turning leaves every frame alone; hit testing follows it")
  func rotation() throws {
    // 160 × 64 points; turned by a quarter 64 × 160.
    let scene = try DraggableBox(size: Size(width: 20, height: 4))
    let frame = scene.box.windowFrame
    let tip = Point(x: frame.maxX - 1, y: frame.midY)
    #expect(scene.window.hitTest(tip) === scene.box)
    scene.window.firstResponder = scene.box
    for _ in 0..<6 {
      scene.window.send(
        InputEvent(kind: .key(.character("]"))), at: scene.window.time + .milliseconds(10))
    }
    scene.window.layoutNow()
    #expect(scene.box.windowFrame == frame)
    #expect(abs(scene.box.transform.b - 1) < 1e-12)
    #expect(scene.window.hitTest(tip) === scene.window.root)
    #expect(scene.window.hitTest(Point(x: frame.midX, y: frame.midY + 4)) === scene.box)
    scene.window.send(
      InputEvent(kind: .wheel(ticks: 6), location: Point(x: frame.midX, y: frame.midY), modifiers: .alt),
      at: scene.window.time + .milliseconds(10))
    #expect(abs(scene.box.transform.b) < 1e-12)
    #expect(scene.window.hitTest(tip) === scene.box)
  }

  @Test("a view is repinned by its center, where it is or in the middle")
  func alignView() throws {
    let window = Window(size: Size(width: 80, height: 24))
    let view = View()
    window.root.addSubview(view)
    try LayoutConstraint.activate([
      view.leadingAnchor.constraint(equalTo: window.root.leadingAnchor, constant: 7),
      view.topAnchor.constraint(equalTo: window.root.topAnchor, constant: 3),
      view.widthAnchor.constraint(equalToConstant: 10),
      view.heightAnchor.constraint(equalToConstant: 4),
    ])
    window.layoutNow()
    let before = view.windowFrame
    let pins = try view.pinCentered(on: window.root)
    window.layoutNow()
    #expect(view.windowFrame == before)
    #expect(pins.centerX.constant == before.midX - 40)
    pins.centerX.constant = 0
    pins.centerY.constant = 0
    window.layoutNow()
    #expect(view.windowFrame == Rect(x: 35, y: 10, width: 10, height: 4))
    let byHand = View()
    byHand.frame = Rect(x: 2, y: 2, width: 6, height: 2)
    window.root.addSubview(byHand)
    window.layoutNow()
    _ = try byHand.pinCentered(on: window.root)
    window.layoutNow()
    #expect(byHand.windowFrame == Rect(x: 2, y: 2, width: 6, height: 2))
  }

  @Test("a click is one tap and no pan, press-move-release is a pan only")
  func arbitration() throws {
    let scene = try DraggableBox()
    var pointer = Pointer(scene.window, x: 40, y: 12)
    pointer.click()
    #expect(scene.taps == 1)
    #expect(scene.states.isEmpty)
    pointer.press()
    pointer.move(by: 2, over: .milliseconds(100))
    pointer.release()
    #expect(scene.taps == 1)
    #expect(scene.states == [.began, .changed, .changed, .ended])
    scene.box.isUserInteractionEnabled = false
    pointer.click()
    #expect(scene.taps == 1)
  }

  @Test("a tap's action runs once")
  func discreteOnce() {
    let window = Window(size: Size(width: 10, height: 10))
    var states: [GestureRecognizer.State] = []
    window.root.addGestureRecognizer(TapGestureRecognizer { states.append($0.state) })
    let pointer = Pointer(window, x: 1, y: 1)
    pointer.click()
    pointer.press()
    window.send(InputEvent(kind: .focusLost), at: window.time)
    #expect(states == [.ended])
  }

  @Test("a double tap can hold back the single one, which comes when no second click does")
  func doubleTap() {
    let window = Window(size: Size(width: 10, height: 10))
    var log: [String] = []
    let single = TapGestureRecognizer { _ in log.append("single") }
    let double = TapGestureRecognizer { _ in log.append("double") }
    double.numberOfTapsRequired = 2
    single.require(toFail: double)
    window.root.addGestureRecognizer(single)
    window.root.addGestureRecognizer(double)
    let pointer = Pointer(window, x: 1, y: 1)
    pointer.click()
    #expect(log.isEmpty)
    window.advance(to: .milliseconds(299))
    #expect(log.isEmpty)
    window.advance(to: .milliseconds(300))
    #expect(log == ["single"])
    #expect(window.nextDeadline == nil || window.nextDeadline == window.time)
    pointer.click()
    window.advance(to: .milliseconds(400))
    pointer.click()
    window.advance(to: .seconds(2))
    #expect(log == ["single", "double"])
  }

  @Test("without a requirement the single tap comes at once and the double tap still after it")
  func tapsWithoutRequirement() {
    let window = Window(size: Size(width: 10, height: 10))
    var log: [Int] = []
    for count in [1, 2] {
      let tap = TapGestureRecognizer { _ in log.append(count) }
      tap.numberOfTapsRequired = count
      window.root.addGestureRecognizer(tap)
    }
    Pointer(window, x: 1, y: 1).click()
    #expect(log == [1])
    Pointer(window, x: 1, y: 1).click()
    #expect(log.contains(2))
  }

  @Test(
    "two pans exclude each other, the inner one first, unless they are simultaneous",
    arguments: [false, true])
  func simultaneous(together: Bool) {
    let window = Window(size: Size(width: 20, height: 10))
    let inner = View()
    inner.frame = Rect(x: 0, y: 0, width: 10, height: 10)
    window.root.addSubview(inner)
    window.advance(to: .zero)
    var log: [String] = []
    let innerPan = PanGestureRecognizer { if $0.state == .began { log.append("inner") } }
    let outerPan = PanGestureRecognizer { if $0.state == .began { log.append("outer") } }
    if together { outerPan.simultaneousWith = { $0 === innerPan } }
    inner.addGestureRecognizer(innerPan)
    window.root.addGestureRecognizer(outerPan)
    var pointer = Pointer(window, x: 1, y: 1)
    pointer.press()
    pointer.move(by: 5, over: .milliseconds(50))
    pointer.release()
    #expect(log == (together ? ["inner", "outer"] : ["inner"]))
    #expect(innerPan.state == .possible && outerPan.state == .possible)
  }

  @Test(
    "a pinch elsewhere during a pan is refused, unless the two may go on together", arguments: [false, true])
  func pinchDuringPan(together: Bool) {
    let window = Window(size: Size(width: 20, height: 10))
    let inner = View()
    inner.frame = Rect(x: 10, y: 0, width: 10, height: 10)
    window.root.addSubview(inner)
    var log: [String] = []
    let pan = PanGestureRecognizer { _ in }
    let pinch = PinchGestureRecognizer { log.append("\($0.state)") }
    if together { pan.simultaneousWith = { $0 === pinch } }
    window.root.addGestureRecognizer(pan)
    inner.addGestureRecognizer(pinch)
    var pointer = Pointer(window, x: 1, y: 1)
    pointer.press()
    pointer.move(by: 5, over: .milliseconds(50))
    let wheel = InputEvent(kind: .wheel(ticks: 1), location: Point(x: 15, y: 1), modifiers: .control)
    window.send(wheel, at: window.time)
    #expect(log == (together ? ["began", "changed"] : []))
    pointer.release()
    window.advance(to: window.time + .seconds(1))
    window.send(wheel, at: window.time)
    #expect(log == (together ? ["began", "changed", "ended", "began", "changed"] : ["began", "changed"]))
  }

  @Test("key equivalents reach shown and enabled views only")
  func keys() {
    let window = Window(size: Size(width: 20, height: 10))
    let button = View()
    window.root.addSubview(button)
    var taps = 0
    let tap = TapGestureRecognizer { _ in taps += 1 }
    tap.keyEquivalents = [.character("1"), .enter]
    button.addGestureRecognizer(tap)
    #expect(window.send(InputEvent(kind: .key(.character("1"))), at: .zero))
    #expect(taps == 1)
    button.isEnabled = false
    #expect(!window.send(InputEvent(kind: .key(.enter)), at: .zero))
    button.isEnabled = true
    button.isHidden = true
    #expect(!window.send(InputEvent(kind: .key(.enter)), at: .zero))
    #expect(taps == 1)
  }

  @Test("escape and taking the view away cancel a gesture")
  func cancelledByKeyOrRemoval() throws {
    for removes in [false, true] {
      let scene = try DraggableBox()
      var pointer = Pointer(scene.window, x: 40, y: 12)
      pointer.press()
      pointer.move(by: 2, over: .milliseconds(100))
      if removes {
        scene.box.removeFromSuperview()
      } else {
        scene.window.send(InputEvent(kind: .key(.escape)), at: scene.window.time)
      }
      #expect(scene.states.last == .cancelled)
      pointer.move(by: 2, over: .milliseconds(100))
      #expect(scene.states.last == .cancelled)
    }
  }

  @Test("ten thousand scripts of random input end at rest")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 11)
    let scene = try DraggableBox()
    let window = scene.window
    let double = TapGestureRecognizer { _ in }
    double.numberOfTapsRequired = 2
    window.root.addGestureRecognizer(double)
    window.root.addGestureRecognizer(PanGestureRecognizer { _ in })
    let all = scene.box.gestureRecognizers + window.root.gestureRecognizers
    for round in 0..<10_000 {
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let location = Point(
          x: Double(Int.random(in: -2...81, using: &generator)),
          y: Double(Int.random(in: -2...25, using: &generator)))
        let kinds: [InputEvent.Kind] = [
          .mouseDown, .mouseDrag, .mouseDrag, .mouseUp, .mouseMove, .wheel(ticks: 1), .wheel(ticks: -3),
          .key(.character("+")), .key(.character("[")), .key(.left), .key(.escape), .focusLost, .focusGained,
        ]
        let modifiers = InputEvent.Modifiers(rawValue: UInt8.random(in: 0...7, using: &generator))
        window.send(
          InputEvent(
            kind: kinds.randomElement(using: &generator) ?? .mouseUp, location: location, modifiers: modifiers
          ),
          at: window.time + .milliseconds(Int.random(in: 0...120, using: &generator)))
      }
      window.send(InputEvent(kind: .mouseUp, location: .zero), at: window.time)
      window.advance(to: window.time + .seconds(1))
      window.advance(to: window.time)
      guard all.allSatisfy({ $0.state == .possible }), window.nextDeadline == nil else {
        Issue.record(
          "round \(round): \(all.map(\.state)), deadline \(String(describing: window.nextDeadline))")
        return
      }
      let frame = scene.box.windowFrame
      #expect(frame.width >= 4 && frame.height >= 2 && frame.minX.isFinite)
      for (index, state) in scene.states.enumerated() where state == .changed {
        #expect(index > 0 && [.began, .changed].contains(scene.states[index - 1]))
      }
      scene.clearStates()
    }
  }
}
