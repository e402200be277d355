import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

@Suite struct IdleAndDamageTests {
  @Test("ten seconds without input: no deadline, nothing to draw")
  func idle() throws {
    let scene = try PanelScene()
    #expect(scene.window.nextDeadline == nil)
    for second in 1...10 {
      #expect(!scene.window.advance(to: .seconds(Int64(second))).needsDisplay)
      #expect(scene.window.nextDeadline == nil)
    }
  }

  @Test("driven by its deadlines alone, a slide takes 15 frames and then rests")
  func drivenByDeadlines() throws {
    let scene = try PanelScene()
    try scene.manager.slideHorizontally(activate: .log)
    var frames = 0
    var changed = 0
    var before = scene.draw()
    scene.window.advance(to: scene.window.time)
    while let deadline = scene.window.nextDeadline, frames < 100 {
      let change = scene.window.advance(to: deadline)
      frames += 1
      if change.needsDisplay {
        let canvas = scene.draw()
        let cells = canvas.changedCells(from: before)
        changed += cells
        #expect(cells <= 80 * 12 + 24)
        before = canvas
      }
    }
    #expect(frames <= 17)
    #expect(changed > 0)
    #expect(scene.page(.log).cellFrame == scene.host.cellFrame)
  }

  @Test("what differs from the last frame lies inside the damage")
  func damage() throws {
    let scene = try PanelScene(columns: 100, rows: 30)
    var generator = SeededGenerator(seed: 3)
    var before = scene.draw()
    for frame in 0..<300 {
      if frame % 9 == 0 {
        let panel = Panel.allCases.randomElement(using: &generator) ?? .log
        if Bool.random(using: &generator) {
          try scene.manager.slideHorizontally(activate: panel)
        } else {
          try scene.manager.slideVertically(activate: panel)
        }
      }
      if frame == 100 {
        scene.window.animate(withDuration: .milliseconds(400)) {
          scene.plot.transform = .translation(x: 5, y: 2).concatenating(.rotation(0.4))
        }
      }
      if frame == 200 { scene.plot.isHidden = true }
      if frame == 220 { scene.plot.removeFromSuperview() }
      let change = scene.window.advance(to: .frame(Int64(frame)))
      let canvas = scene.draw()
      for y in 0..<30 {
        for x in 0..<100 where canvas.glyph(x: x, y: y) != before.glyph(x: x, y: y) {
          guard change.damage.contains(x: x, y: y) else {
            Issue.record("frame \(frame): \(x),\(y) changed outside \(change.damage)")
            return
          }
        }
      }
      before = canvas
    }
  }

  @Test("what a clipping view cuts off is not damage, nested or turned")
  func clippedDamage() {
    let window = Window(size: Size(width: 80, height: 24))
    let host = View()
    let inner = View()
    let page = View()
    window.root.addSubview(host)
    host.addSubview(inner)
    inner.addSubview(page)
    host.clipsToBounds = true
    host.frame = Rect(x: 10, y: 5, width: 20, height: 10)
    inner.frame = Rect(x: 0, y: 0, width: 60, height: 18)
    page.frame = Rect(x: -15, y: 2, width: 15, height: 14)
    window.advance(to: .zero)
    let area = host.cellFrame
    func damage(_ body: () -> Void) -> CellRect {
      body()
      return window.advance(to: window.time).damage.bounds
    }
    // Moves in from outside on the left, and out on the right.
    #expect(damage { page.frame.origin.x = -5 } == CellRect(x0: 10, y0: 7, x1: 20, y1: 15))
    #expect(damage { page.frame.origin.x = 15 } == CellRect(x0: 10, y0: 7, x1: 30, y1: 15))
    #expect(damage { page.frame.origin.x = 22 } == CellRect(x0: 25, y0: 7, x1: 30, y1: 15))
    #expect(damage { page.frame.origin.x = 30 }.isEmpty)
    #expect(damage { page.backgroundColor = Color(1, 2, 3) }.isEmpty)
    #expect(damage { inner.setNeedsDisplay() } == area)
    #expect(damage { page.frame.origin.x = 15 } == CellRect(x0: 25, y0: 7, x1: 30, y1: 15))
    #expect(damage { page.removeFromSuperview() } == CellRect(x0: 25, y0: 7, x1: 30, y1: 15))
    // Only the view that moves counts, also when many with edges between cells do.
    let bars = (0..<10).map { index in
      let bar = View()
      bar.edgeStyle = .eighths
      bar.backgroundColor = Color(1, 2, 3)
      inner.addSubview(bar)
      bar.frame = Rect(x: 1, y: Double(index) + 2, width: 4, height: 1)
      return bar
    }
    window.advance(to: window.time)
    window.animate(withDuration: .seconds(1), curve: .linear) {
      for bar in bars { bar.frame.size.width = 8 }
    }
    let change = window.advance(to: window.time + .milliseconds(300))
    #expect(change.damage.bounds == CellRect(x0: 10, y0: 6, x1: 17, y1: 15))
  }

  @Test("a part of a view is damage by itself, unless the view has moved or is turned")
  func partialDamage() {
    let window = Window(size: Size(width: 80, height: 24))
    let host = View()
    let page = View()
    window.root.addSubview(host)
    host.addSubview(page)
    host.clipsToBounds = true
    host.frame = Rect(x: 10, y: 5, width: 20, height: 10)
    page.frame = Rect(x: 5, y: 0, width: 40, height: 10)
    window.advance(to: .zero)
    func damage(_ body: () -> Void) -> [CellRect] {
      body()
      return window.advance(to: window.time).damage.rects
    }
    let part = CellRect(x0: 2, y0: 3, x1: 30, y1: 4)
    #expect(damage { page.setNeedsDisplay(in: part) } == [CellRect(x0: 17, y0: 8, x1: 30, y1: 9)])
    #expect(damage { page.setNeedsDisplay(in: CellRect(x0: 16, y0: 0, x1: 20, y1: 9)) }.isEmpty)
    #expect(damage { page.setNeedsDisplay(in: CellRect(x0: 0, y0: 10, x1: 9, y1: 12)) }.isEmpty)
    let moved = damage {
      page.frame.origin.x = 7
      page.setNeedsDisplay(in: part)
    }
    #expect(moved == [CellRect(x0: 15, y0: 5, x1: 30, y1: 15)])
    page.isHidden = true
    window.advance(to: window.time)
    #expect(damage { page.setNeedsDisplay(in: part) }.isEmpty)
    page.isHidden = false
    page.transform = .translation(x: 8, y: 0)
    window.advance(to: window.time)
    // Where a transformed view shows a part of itself is not worked out.
    #expect(damage { page.setNeedsDisplay(in: part) }.map(\.height) == [10])
  }

  @Test("drawing only what is damaged leaves the same cells as drawing all")
  func partialDrawing() throws {
    let scene = try PanelScene(columns: 100, rows: 30)
    var generator = SeededGenerator(seed: 13)
    let kept = TextCanvas(columns: 100, rows: 30)
    for frame in 0..<300 {
      if frame % 7 == 0 {
        try scene.manager.slideHorizontally(activate: Panel.allCases.randomElement(using: &generator) ?? .log)
      }
      if frame % 3 == 0 { scene.plot.backgroundColor = Color(UInt8(frame % 200), 0, 0) }
      let change = scene.window.advance(to: .frame(Int64(frame)))
      scene.window.draw(on: kept, damage: change.damage)
      let whole = scene.draw()
      #expect(kept.changedCells(from: whole) == 0, "frame \(frame)")
    }
  }

  @Test("damage stays whole when the clipping view moves or opens with what is in it")
  func movingClip() {
    let window = Window(size: Size(width: 60, height: 20))
    let host = GlyphView("host", glyph: "o")
    let page = GlyphView("page", glyph: "p")
    window.root.addSubview(host)
    host.addSubview(page)
    host.clipsToBounds = true
    var generator = SeededGenerator(seed: 8)
    func some(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &generator)) }
    func draw() -> TextCanvas {
      let canvas = TextCanvas(columns: 60, rows: 20)
      window.draw(on: canvas)
      return canvas
    }
    var before = draw()
    for step in 0..<400 {
      let duration = Duration.milliseconds(Int(some(0...120)))
      window.animate(withDuration: duration) {
        if step % 3 != 0 {
          host.frame = Rect(x: some(-10...50), y: some(-5...15), width: some(0...30), height: some(0...12))
        }
        if step % 2 == 0 {
          page.frame = Rect(x: some(-20...30), y: some(-8...12), width: some(0...30), height: some(0...12))
        }
      }
      if step % 17 == 0 { host.clipsToBounds.toggle() }
      if step % 23 == 0 { page.isHidden.toggle() }
      let change = window.advance(to: window.time + .milliseconds(Int(some(1...40))))
      let canvas = draw()
      for y in 0..<20 {
        for x in 0..<60 where canvas.glyph(x: x, y: y) != before.glyph(x: x, y: y) {
          guard change.damage.contains(x: x, y: y) else {
            Issue.record("step \(step): \(x),\(y) changed outside \(change.damage)")
            return
          }
        }
      }
      before = canvas
    }
  }

  @Test("a slow animation does not wake the program for frames that look alike")
  func skipsAhead() {
    let window = Window(size: Size(width: 40, height: 5))
    let box = View()
    box.frame = Rect(x: 0, y: 0, width: 4, height: 1)
    window.root.addSubview(box)
    window.advance(to: .zero)
    window.animate(withDuration: .seconds(10), curve: .linear) { box.frame.origin.x = 10 }
    var frames = 0
    var moves = 0
    while let deadline = window.nextDeadline, frames < 1000 {
      if window.advance(to: deadline).needsDisplay { moves += 1 }
      frames += 1
    }
    #expect(moves == 10)
    #expect(frames < 60)
    #expect(box.cellFrame.x0 == 10)
  }

  @Test("the same events at the same times give the same frames")
  func deterministic() throws {
    func run() throws -> [FrameSnapshot] {
      var generator = SeededGenerator(seed: 21)
      let scene = try PanelScene()
      scene.host.addGestureRecognizer(scene.manager.makePanGestureRecognizer())
      var snapshots: [FrameSnapshot] = []
      for _ in 0..<400 {
        let kinds: [InputEvent.Kind] = [.mouseDown, .mouseDrag, .mouseUp, .focusLost]
        let event = InputEvent(
          kind: kinds.randomElement(using: &generator) ?? .mouseUp,
          location: Point(
            x: Double(Int.random(in: 0..<80, using: &generator)),
            y: Double(Int.random(in: 12..<24, using: &generator))))
        scene.window.send(
          event, at: scene.window.time + .milliseconds(Int.random(in: 0...40, using: &generator)))
        if Int.random(in: 0...9, using: &generator) == 0 {
          try scene.manager.slideHorizontally(
            activate: Panel.allCases.randomElement(using: &generator) ?? .log)
        }
        scene.window.advance(to: scene.window.time + .milliseconds(7))
        snapshots.append(scene.window.snapshot())
      }
      return snapshots
    }
    #expect(try run() == run())
  }

  @Test("a resize at any frame of anything ends in the layout of that size")
  func resizeAnytime() throws {
    var generator = SeededGenerator(seed: 77)
    let scene = try PanelScene()
    for _ in 0..<150 {
      try scene.manager.slideHorizontally(activate: Panel.allCases.randomElement(using: &generator) ?? .log)
      scene.window.advance(to: scene.window.time + .milliseconds(Int.random(in: 0...200, using: &generator)))
      let size = Size(
        width: Double(Int.random(in: 10...150, using: &generator)),
        height: Double(Int.random(in: 4...60, using: &generator)))
      scene.window.resize(to: size)
      scene.window.advance(to: scene.window.time + .milliseconds(Int.random(in: 0...400, using: &generator)))
    }
    scene.window.advance(to: scene.window.time + .seconds(1))
    scene.window.resize(to: Size(width: 80, height: 24))
    let fresh = try PanelScene(active: scene.manager.active)
    for (page, other) in zip(scene.pages, fresh.pages) {
      #expect(page.isHidden == other.isHidden)
      if !page.isHidden { #expect(page.cellFrame == other.cellFrame) }
    }
    #expect(scene.host.cellFrame == fresh.host.cellFrame && scene.plot.cellFrame == fresh.plot.cellFrame)
    #expect(scene.window.diagnostics.isEmpty)
  }
}
