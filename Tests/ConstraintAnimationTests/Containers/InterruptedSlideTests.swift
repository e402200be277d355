import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

/// What breaks in the published code when slides are interrupted, and must not here.
@Suite struct InterruptedSlideTests {
  private func expectAtRest(_ scene: PanelScene, _ label: String) {
    for panel in Panel.allCases {
      let page = scene.page(panel)
      #expect(page.isHidden == (panel != scene.manager.active), "\(label)")
      if !page.isHidden { #expect(page.cellFrame == scene.host.cellFrame, "\(label)") }
    }
    #expect(scene.window.nextDeadline == nil)
  }

  @Test("there and back within a slide ends with the first page visible")
  func thereAndBack() throws {
    for frame in 0...15 {
      let scene = try PanelScene()
      try scene.manager.slideHorizontally(activate: .log)
      scene.window.advance(to: .frame(Int64(frame)))
      try scene.manager.slideHorizontally(activate: .histogram)
      scene.window.advance(to: .frame(60))
      scene.window.advance(to: .frame(61))
      #expect(scene.manager.active == .histogram)
      expectAtRest(scene, "turned round at frame \(frame)")
    }
  }

  @Test("turning round never leaps, and what is visible stays glued")
  func noLeap() throws {
    let scene = try PanelScene(columns: 120)
    var recorder = FrameRecorder(scene.window)
    let presses: [Int: Panel] = [0: .log, 5: .histogram, 9: .events, 12: .log, 20: .histogram]
    var last: [Panel: CellRect] = [:]
    for frame in 0..<60 {
      if let panel = presses[frame] { try scene.manager.slideHorizontally(activate: panel) }
      var places: [Int] = []
      for panel in Panel.allCases where !scene.page(panel).isHidden {
        let cells = scene.page(panel).cellFrame
        places.append(cells.x0)
        // The steepest part of three slides on top of each other, a sixtieth of a second long.
        if let before = last[panel] { #expect(abs(cells.x0 - before.x0) <= 64) }
        last[panel] = cells
      }
      for panel in Panel.allCases where scene.page(panel).isHidden { last[panel] = nil }
      let gaps = zip(places.sorted(), places.sorted().dropFirst()).map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 == 120 }, "frame \(frame): \(places)")
      recorder.step()
    }
    expectAtRest(scene, "after five choices")
  }

  @Test("any sequence of choices ends with exactly the active page visible")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 1)
    let scene = try PanelScene(columns: 40, rows: 12)
    for round in 0..<10_000 {
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let panel = Panel.allCases.randomElement(using: &generator) ?? .log
        if Bool.random(using: &generator) {
          try scene.manager.slideHorizontally(activate: panel)
        } else {
          try scene.manager.slideVertically(activate: panel)
        }
        scene.window.advance(
          to: scene.window.time + .milliseconds(Int.random(in: 0...300, using: &generator)))
      }
      scene.window.advance(to: scene.window.time + .milliseconds(300))
      scene.window.advance(to: scene.window.time)
      let visible = Panel.allCases.filter { !scene.page($0).isHidden }
      guard visible == [scene.manager.active],
        scene.page(scene.manager.active).cellFrame == scene.host.cellFrame,
        scene.window.nextDeadline == nil
      else {
        Issue.record("round \(round): \(visible) visible, \(scene.manager.active) active")
        return
      }
    }
  }

  @Test("a resize at any frame leaves the page exactly on the host", arguments: 0...16)
  func resizeMidSlide(frame: Int) throws {
    let scene = try PanelScene()
    try scene.manager.slideHorizontally(activate: .log)
    scene.window.advance(to: .frame(Int64(frame)))
    scene.window.resize(to: Size(width: 133, height: 41))
    scene.window.advance(to: .frame(Int64(frame)))
    #expect(
      scene.page(.histogram).isHidden
        || scene.page(.histogram).cellFrame.x1 == scene.page(.log).cellFrame.x0)
    scene.window.advance(to: .frame(20))
    scene.window.advance(to: .frame(21))
    #expect(scene.page(.log).cellFrame == scene.host.cellFrame)
    #expect(!scene.draw().text.contains("h"))
    expectAtRest(scene, "resized at frame \(frame)")
  }

  @Test("the order in which edges were written does not matter", arguments: [false, true])
  func edgeOrder(hostFirst: Bool) throws {
    let scene = try PanelScene(hostFirst: hostFirst)
    let host = scene.host.cellFrame
    try scene.manager.slideVertically(activate: .log)
    for frame in 0...15 {
      for panel in [Panel.histogram, .log] {
        #expect(scene.page(panel).cellFrame.width == host.width)
        #expect(scene.page(panel).cellFrame.height == host.height)
      }
      scene.window.advance(to: .frame(Int64(frame)))
    }
    #expect(scene.page(.log).cellFrame == host)
  }

  @Test("a page that enters from above does not paint over the plot")
  func clipsAbove() throws {
    let scene = try PanelScene()
    #expect(scene.host.clipsToBounds)
    try scene.manager.slideVertically(activate: .log)
    scene.window.advance(to: .milliseconds(125))
    let canvas = scene.draw()
    #expect(scene.page(.log).cellFrame.y0 < scene.host.cellFrame.y0)
    #expect(canvas.rows(in: scene.plot.cellFrame).allSatisfy { $0.allSatisfy { $0 == "*" } })
    #expect(canvas.rows(in: scene.host.cellFrame).joined().contains("l"))
  }

  @Test("locked buttons: a choice during a slide is ignored, buttons work again after it")
  func locked() throws {
    let scene = try PanelScene(style: PagedTransition(interruption: .lock))
    try scene.manager.slideHorizontally(activate: .log)
    #expect(scene.buttons.allSatisfy { !$0.isEnabled })
    try scene.manager.slideHorizontally(activate: .events)
    #expect(scene.manager.active == .log)
    scene.window.advance(to: .frame(15))
    #expect(scene.buttons.allSatisfy { $0.isEnabled })
    expectAtRest(scene, "after a locked slide")
  }

  @Test("a dragged panel follows the pointer, brings its neighbor and snaps")
  func dragged() throws {
    let scene = try PanelScene(active: .log)
    scene.host.addGestureRecognizer(scene.manager.makePanGestureRecognizer())
    var pointer = Pointer(scene.window, x: 60, y: 20)
    pointer.press()
    pointer.move(by: -10, over: .milliseconds(500))
    #expect(scene.page(.log).cellFrame.x0 == -10)
    #expect(scene.page(.events).cellFrame.x0 == 70)
    pointer.move(by: 30, over: .milliseconds(1500))
    #expect(scene.page(.log).cellFrame.x0 == 20)
    #expect(scene.page(.histogram).cellFrame.x1 == 20)
    #expect(scene.page(.events).cellFrame.x0 == 100)
    pointer.move(by: -70, over: .milliseconds(3500))
    pointer.release()
    scene.window.advance(to: scene.window.time + .milliseconds(300))
    scene.window.advance(to: scene.window.time)
    #expect(scene.manager.active == .events)
    expectAtRest(scene, "after a drag")
  }

  @Test("drags, choices and resizes in any order end at rest")
  func fuzzWithDrags() throws {
    var generator = SeededGenerator(seed: 12)
    let scene = try PanelScene(columns: 60, rows: 20)
    scene.host.addGestureRecognizer(scene.manager.makePanGestureRecognizer())
    scene.host.addGestureRecognizer(scene.manager.makePanGestureRecognizer(along: .vertical))
    for round in 0..<1500 {
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let location = Point(
          x: Double(Int.random(in: 0..<60, using: &generator)),
          y: Double(Int.random(in: 10..<20, using: &generator)))
        let time = scene.window.time + .milliseconds(Int.random(in: 0...120, using: &generator))
        switch Int.random(in: 0...9, using: &generator) {
        case 0:
          try scene.manager.slideHorizontally(
            activate: Panel.allCases.randomElement(using: &generator) ?? .log)
        case 1:
          try scene.manager.slideVertically(activate: Panel.allCases.randomElement(using: &generator) ?? .log)
        case 2: scene.window.send(InputEvent(kind: .focusLost), at: time)
        case 3:
          scene.window.resize(to: Size(width: Double(Int.random(in: 20...90, using: &generator)), height: 20))
        case 4, 5: scene.window.send(InputEvent(kind: .mouseDown, location: location), at: time)
        case 6: scene.window.send(InputEvent(kind: .mouseUp, location: location), at: time)
        default: scene.window.send(InputEvent(kind: .mouseDrag, location: location), at: time)
        }
      }
      scene.window.send(InputEvent(kind: .mouseUp), at: scene.window.time)
      scene.window.advance(to: scene.window.time + .seconds(1))
      scene.window.advance(to: scene.window.time)
      let visible = Panel.allCases.filter { !scene.page($0).isHidden }
      guard visible == [scene.manager.active], !scene.manager.isSliding,
        scene.page(scene.manager.active).cellFrame == scene.host.cellFrame, scene.window.nextDeadline == nil
      else {
        Issue.record("round \(round): \(visible) visible, \(scene.manager.active) active")
        return
      }
    }
  }

  @Test("a slide is caught by a drag where it is, without a leap")
  func caught() throws {
    let scene = try PanelScene()
    scene.host.addGestureRecognizer(scene.manager.makePanGestureRecognizer())
    try scene.manager.slideHorizontally(activate: .log)
    scene.window.advance(to: .milliseconds(125))
    var pointer = Pointer(scene.window, x: 60, y: 20)
    pointer.press()
    pointer.move(by: 1, over: .milliseconds(1))
    pointer.hold(.milliseconds(100))
    #expect(abs(scene.page(.log).cellFrame.x0 - 41) <= 2)
    #expect(scene.page(.histogram).cellFrame.x1 == scene.page(.log).cellFrame.x0)
    scene.window.send(InputEvent(kind: .focusLost), at: scene.window.time)
    scene.window.advance(to: scene.window.time + .seconds(1))
    scene.window.advance(to: scene.window.time)
    #expect(scene.manager.active == .log)
    expectAtRest(scene, "after focus was lost")
  }
}
