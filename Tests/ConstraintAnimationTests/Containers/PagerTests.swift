import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

/// "Moving contents with constraints": two pages in a container that is dragged.
@Suite struct PagerTests {
  /// A container of two pages behind a clipping host, as wide as the window.
  struct Scene {
    let window: Window
    let host = View(identifier: "host")
    let container = View(identifier: "container")
    let advanced = GlyphView("advanced", glyph: "a")
    let basic = GlyphView("basic", glyph: "b")
    let pager: PagerController

    init(width: Double = 40, hostFirst: Bool = false, page: Int = 0) throws {
      window = Window(size: Size(width: width, height: 10))
      window.root.addSubview(host)
      host.addSubview(container)
      container.addSubview(advanced)
      container.addSubview(basic)
      var constraints = host.pinned(to: window.root)
      constraints +=
        hostFirst
        ? [
          host.leadingAnchor.constraint(equalTo: container.leadingAnchor),
          host.trailingAnchor.constraint(equalTo: container.trailingAnchor),
        ]
        : [
          container.leadingAnchor.constraint(equalTo: host.leadingAnchor),
          container.trailingAnchor.constraint(equalTo: host.trailingAnchor),
        ]
      constraints += [
        container.topAnchor.constraint(equalTo: host.topAnchor),
        container.bottomAnchor.constraint(equalTo: host.bottomAnchor),
        advanced.leadingAnchor.constraint(equalTo: container.leadingAnchor),
        advanced.widthAnchor.constraint(equalTo: host.widthAnchor),
        basic.leadingAnchor.constraint(equalTo: advanced.trailingAnchor),
        basic.trailingAnchor.constraint(equalTo: container.trailingAnchor),
      ]
      for page in [advanced, basic] {
        constraints += [
          page.topAnchor.constraint(equalTo: container.topAnchor),
          page.bottomAnchor.constraint(equalTo: container.bottomAnchor),
        ]
      }
      try LayoutConstraint.activate(constraints)
      pager = try PagerController(container: container, pageCount: 2, page: page)
      host.addGestureRecognizer(pager.makePanGestureRecognizer())
      window.advance(to: .zero)
    }

    var leading: Int { container.cellFrame.x0 }

    /// The glyphs that show.
    var visible: Set<Character> {
      let canvas = TextCanvas(columns: Int(window.size.width), rows: 10)
      window.draw(on: canvas)
      return Set(canvas.text.filter { $0 != "\n" })
    }

    func wait(_ duration: Duration) {
      window.advance(to: window.time + duration)
      window.advance(to: window.time)
    }
  }

  @Test("at rest one page shows; both edges of the container move together", arguments: [false, true])
  func rest(hostFirst: Bool) throws {
    let scene = try Scene(hostFirst: hostFirst)
    #expect(scene.visible == ["a"])
    #expect(scene.container.cellFrame.width == 80)
    scene.pager.show(page: 1, animated: true)
    for frame in 0...18 {
      #expect(scene.container.cellFrame.width == 80)
      #expect(scene.advanced.cellFrame.x1 == scene.basic.cellFrame.x0)
      scene.window.advance(to: .frame(Int64(frame)))
    }
    #expect(scene.leading == -40)
    #expect(scene.visible == ["b"])
  }

  @Test("a change without animation shows the other page on the next frame")
  func immediate() throws {
    let scene = try Scene()
    scene.pager.show(page: 1, animated: false)
    #expect(scene.window.advance(to: .zero).needsDisplay)
    #expect(scene.visible == ["b"])
    #expect(scene.pager.page == 1)
    #expect(scene.window.nextDeadline == nil)
  }

  @Test("a drag goes through began, changed and ended; shift and arrows do the same")
  func states() throws {
    let window = Window(size: Size(width: 40, height: 10))
    var states: [GestureRecognizer.State] = []
    window.root.addGestureRecognizer(PanGestureRecognizer { states.append($0.state) })
    var pointer = Pointer(window, x: 10, y: 5)
    pointer.press()
    #expect(states.isEmpty)
    pointer.move(by: 3, over: .milliseconds(300))
    pointer.release()
    #expect(states == [.began, .changed, .changed, .changed, .ended])
    states = []
    let right = InputEvent(kind: .key(.right), modifiers: .shift)
    window.send(right, at: window.time + .milliseconds(10))
    window.send(right, at: window.time + .milliseconds(100))
    window.advance(to: window.time + .milliseconds(300))
    #expect(states == [.began, .changed, .changed, .ended])
    #expect(!window.send(InputEvent(kind: .key(.right)), at: window.time))
  }

  @Test("400 points a second exactly is not fast")
  func threshold() {
    let metrics = CellMetrics()
    let snap = DragSnap()
    #expect(snap.fastSpeed == metrics.columns(400))
    #expect(snap.fastStep == metrics.columns(20))
    #expect(!snap.isFast(50))
    #expect(!snap.isFast(-50))
    #expect(snap.isFast(50.001))
    #expect(snap.isFast(-50.001))
  }

  @Test("a host wide enough for both pages ignores drags")
  func wideEnough() throws {
    let scene = try Scene(width: 80)
    scene.pager.minimumPageWidth = 40
    var pointer = Pointer(scene.window, x: 60, y: 5)
    pointer.press()
    pointer.move(by: -30, over: .seconds(1))
    pointer.release()
    #expect(scene.leading == 0)
    #expect(scene.window.nextDeadline == nil)
    scene.pager.minimumPageWidth = 41
    pointer.press()
    pointer.move(by: -10, over: .seconds(1))
    #expect(scene.leading < 0)
  }

  @Test("while the pointer is fast, an event moves the page by 20 points")
  func fastStep() throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 30, y: 5)
    pointer.press()
    pointer.move(by: -10, over: .milliseconds(100), events: 1)
    #expect(abs(scene.container.presentationFrame.minX - -2.5) <= 0.5)
    #expect(scene.container.windowFrame.minX == -2.5)
  }

  @Test("in the wrong direction a drag stops at half a page")
  func wrongDirection() throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 2, y: 5)
    pointer.press()
    pointer.move(by: 35, over: .seconds(4))
    #expect(scene.leading == 20)
    let other = try Scene(page: 1)
    pointer = Pointer(other.window, x: 38, y: 5)
    pointer.press()
    pointer.move(by: -35, over: .seconds(4))
    #expect(other.leading == -60)
  }

  @Test("the page stays under the pointer")
  func follows() throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 35, y: 5)
    pointer.press()
    for moved in 1...30 {
      pointer.move(by: -1, over: .milliseconds(100))
      #expect(scene.leading == -moved)
      #expect(!scene.window.isAnimating)
    }
  }

  @Test("a slow drag of a quarter goes back in 0.3 s")
  func snapsBack() throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 35, y: 5)
    pointer.press()
    pointer.move(by: -10, over: .seconds(1))
    pointer.release()
    scene.wait(.milliseconds(290))
    #expect(scene.window.isAnimating)
    scene.wait(.milliseconds(10))
    #expect(!scene.window.isAnimating)
    #expect(scene.leading == 0)
    #expect(scene.pager.page == 0)
  }

  @Test("a flick completes however short it is; in the wrong direction it goes back")
  func flick() throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 30, y: 5)
    pointer.press()
    pointer.move(by: -4, over: .nanoseconds(4_000_000_000 / 60))
    pointer.release()
    scene.wait(.milliseconds(300))
    #expect(scene.pager.page == 1)
    #expect(scene.leading == -40)
    pointer.press()
    pointer.move(by: -4, over: .nanoseconds(4_000_000_000 / 60))
    pointer.release()
    scene.wait(.milliseconds(300))
    #expect(scene.pager.page == 1)
    #expect(scene.leading == -40)
    pointer.press()
    pointer.move(by: 4, over: .nanoseconds(4_000_000_000 / 60))
    pointer.release()
    scene.wait(.milliseconds(300))
    #expect(scene.pager.page == 0)
  }

  @Test("a slow drag must go further than half", arguments: [(19.0, 0), (20, 0), (21, 1)])
  func half(distance: Double, page: Int) throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 35, y: 5)
    pointer.press()
    pointer.move(by: -distance, over: .seconds(3))
    pointer.release()
    scene.wait(.milliseconds(300))
    #expect(scene.pager.page == page)
    #expect(scene.leading == -40 * page)
  }

  @Test("the page counts only when its snap has finished")
  func finished() throws {
    let scene = try Scene()
    var changes: [Int] = []
    var events: [MotionEvent] = []
    scene.pager.onPageChange = { changes.append($0) }
    scene.window.onMotionEvent = { events.append($0) }
    scene.pager.show(page: 1, animated: true)
    scene.wait(.milliseconds(150))
    #expect(scene.pager.page == 0)
    var pointer = Pointer(scene.window, x: 30, y: 5)
    pointer.press()
    pointer.move(by: 2, over: .milliseconds(200))
    #expect(events.last == .completed(id: 1, finished: false))
    #expect(scene.pager.page == 0)
    pointer.hold(.seconds(1))
    pointer.release()
    scene.wait(.milliseconds(300))
    #expect(changes == (scene.pager.page == 1 ? [1] : []))
    #expect(scene.leading == -40 * scene.pager.page)
  }

  @Test("several events at one time do not make an infinite speed")
  func batched() throws {
    let window = Window(size: Size(width: 200, height: 10))
    var speeds: [Double] = []
    window.root.addGestureRecognizer(
      PanGestureRecognizer { pan in speeds.append(pan.velocity(in: nil).dx) })
    var pointer = Pointer(window, x: 0, y: 5)
    pointer.press()
    pointer.move(by: 30, over: .zero, events: 3)
    pointer.release()
    #expect(speeds.allSatisfy { $0.isFinite && $0 <= 30 / 0.008 })
    #expect(speeds.last == 30 / 0.008)
    speeds = []
    pointer.press()
    pointer.move(by: 30, over: .milliseconds(100))
    pointer.hold(.milliseconds(60))
    pointer.release()
    #expect(speeds.last == 0)
  }

  @Test("constraints survive a resize in the middle of a slide, a translation in cells does not")
  func resizeMidSlide() throws {
    let scene = try Scene()
    scene.pager.show(page: 1, animated: true)
    scene.wait(.milliseconds(150))
    scene.window.resize(to: Size(width: 55, height: 10))
    scene.wait(.milliseconds(200))
    #expect(scene.visible == ["b"])
    #expect(scene.basic.cellFrame == scene.host.cellFrame)

    let translated = try Scene()
    translated.window.animate(withDuration: .milliseconds(300)) {
      translated.container.transform = .translation(x: -40, y: 0)
    }
    translated.wait(.milliseconds(150))
    translated.window.resize(to: Size(width: 55, height: 10))
    translated.wait(.milliseconds(200))
    #expect(translated.visible == ["a", "b"])
  }

  @Test("a snap that is caught does not leap", arguments: [3, 6, 9, 12, 15])
  func caught(frame: Int) throws {
    let scene = try Scene()
    scene.pager.show(page: 1, animated: true)
    scene.window.advance(to: .frame(Int64(frame)))
    let before = scene.leading
    var pointer = Pointer(scene.window, x: 20, y: 5)
    pointer.press()
    pointer.move(by: 1, over: .zero, events: 1)
    #expect(abs(scene.leading - before) <= 3)
    pointer.hold(.milliseconds(200))
    let held = scene.leading
    pointer.move(by: 1, over: .milliseconds(100))
    #expect(abs(scene.leading - (held + 1)) <= 1)
  }

  @Test("what is remembered when a drag begins is what is on screen")
  func remembersPresentation() throws {
    let scene = try Scene()
    scene.pager.show(page: 1, animated: true)
    scene.wait(.milliseconds(150))
    let before = scene.leading
    #expect(before < 0 && before > -40)
    scene.pager.dragBegan(at: 20)
    #expect(scene.leading == before)
    #expect(abs(scene.container.windowFrame.minX - Double(before)) <= 0.5)
    #expect(!scene.window.isAnimating)
    scene.pager.dragMoved(to: 21, velocity: 0)
    #expect(abs(scene.leading - (before + 1)) <= 1)
  }

  @Test("a drag that is cancelled goes back", arguments: [false, true])
  func cancelled(byResize: Bool) throws {
    let scene = try Scene()
    var pointer = Pointer(scene.window, x: 35, y: 5)
    pointer.press()
    pointer.move(by: -15, over: .seconds(1))
    if byResize {
      scene.window.resize(to: Size(width: 57, height: 10))
    } else {
      scene.window.send(InputEvent(kind: .focusLost), at: scene.window.time)
    }
    scene.wait(.milliseconds(300))
    #expect(scene.leading == 0)
    #expect(scene.advanced.cellFrame == scene.host.cellFrame)
    #expect(scene.window.nextDeadline == nil)
    pointer.move(by: -5, over: .milliseconds(100))
    #expect(scene.leading == 0)
  }

  @Test("pages are counted, not compared: hundreds of odd drags leave it exactly on a page")
  func counted() throws {
    var generator = SeededGenerator(seed: 8)
    let scene = try Scene(width: 37)
    for _ in 0..<300 {
      var pointer = Pointer(scene.window, x: 18, y: 5)
      pointer.press()
      pointer.move(
        by: Double(Int.random(in: -18...18, using: &generator)),
        over: .milliseconds(Int.random(in: 30...2000, using: &generator)))
      pointer.release()
      scene.wait(.milliseconds(Int.random(in: 0...400, using: &generator)))
    }
    scene.wait(.milliseconds(400))
    #expect(scene.leading == -37 * scene.pager.page)
    #expect(scene.container.windowFrame.minX == Double(-37 * scene.pager.page))
  }
}
