import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

/// A view that writes lines of text.
final class TextView: View {
  let lines: [String]

  init(_ lines: [String]) {
    self.lines = lines
    super.init()
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    for (index, line) in lines.enumerated() {
      canvas.write(line, x: rect.x0, y: rect.y0 + index, style: .plain)
    }
  }
}

@Suite struct DrawingTests {
  private func draw(_ window: Window) -> TextCanvas {
    window.advance(to: window.time)
    let canvas = TextCanvas(columns: Int(window.size.width), rows: Int(window.size.height))
    window.draw(on: canvas)
    return canvas
  }

  private func makeText(_ lines: [String], x: Double, y: Double) -> (Window, TextView) {
    let window = Window(size: Size(width: 12, height: 7))
    let view = TextView(lines)
    view.frame = Rect(x: x, y: y, width: Double(lines.first?.count ?? 0), height: Double(lines.count))
    window.root.addSubview(view)
    return (window, view)
  }

  @Test("text turned in quarters keeps every character")
  func quarterTurns() throws {
    let (window, view) = makeText(["abc", "def"], x: 4, y: 2)
    view.rotationStyle = .quarterTurns
    view.transform = .rotation(.pi / 2 + 0.2)
    #expect(view.cellFrame.width == 2 && view.cellFrame.height == 3)
    #expect(draw(window).rows(in: view.cellFrame) == ["da", "eb", "fc"])
    view.transform = .rotation(.pi)
    #expect(draw(window).rows(in: view.cellFrame) == ["fed", "cba"])
    view.transform = .rotation(-.pi / 2)
    #expect(draw(window).rows(in: view.cellFrame) == ["cf", "be", "ad"])
    view.transform = .rotation(0.3)
    #expect(draw(window).rows(in: view.cellFrame) == ["abc", "def"])
  }

  @Test("a sampled turn leaves the cells it does not cover alone, and hits what it shows")
  func sampled() {
    let window = Window(size: Size(width: 40, height: 20))
    window.root.backgroundColor = Color(1, 1, 1)
    let view = GlyphView("plot", glyph: "#")
    view.frame = Rect(x: 10, y: 8, width: 20, height: 4)
    window.root.addSubview(view)
    view.transform = .rotation(.pi / 4)
    let canvas = draw(window)
    var shown = 0
    for y in 0..<20 {
      for x in 0..<40 {
        let isView = canvas.glyph(x: x, y: y) == "#"
        shown += isView ? 1 : 0
        #expect(isView == (window.hitTest(Point(x: Double(x), y: Double(y))) === view))
      }
    }
    // The area stays: a turn moves cells, it makes none.
    #expect(abs(shown - 80) <= 12)
    #expect(canvas.glyph(x: 0, y: 0) == " ")
  }

  @Test("scaling moves edges, a translation moves everything by the same cells")
  func scaleAndTranslate() {
    let window = Window(size: Size(width: 40, height: 20))
    let box = View()
    let label = GlyphView("label", glyph: "x")
    box.frame = Rect(x: 10, y: 5, width: 20, height: 10)
    label.frame = Rect(x: 1.5, y: 1, width: 5, height: 1)
    box.addSubview(label)
    window.root.addSubview(box)
    window.advance(to: .zero)
    #expect(label.cellFrame == CellRect(x0: 12, y0: 6, x1: 17, y1: 7))
    box.transform = .scale(x: 0.5, y: 0.5)
    #expect(box.cellFrame == CellRect(x0: 15, y0: 8, x1: 25, y1: 13))
    for tenth in 0...20 {
      box.transform = .translation(x: Double(tenth) / 10, y: 0)
      #expect(label.cellFrame.x0 - box.cellFrame.x0 == 2)
      #expect(label.cellFrame.width == 5)
    }
    #expect(label.frame.minX == 1.5)
  }

  @Test("an edge that moves one cell in eighths shows eight glyphs in order; text moves once")
  func eighths() {
    let window = Window(size: Size(width: 10, height: 3))
    window.backdropColor = Color(0, 0, 0)
    let pane = TextView(["t"])
    pane.backgroundColor = Color(200, 0, 0)
    pane.edgeStyle = .eighths
    pane.frame = Rect(x: 0, y: 0, width: 4, height: 1)
    window.root.addSubview(pane)
    window.advance(to: .zero)
    window.animate(withDuration: .milliseconds(800), curve: .linear) { pane.frame.size.width = 5 }
    var glyphs: [Unicode.Scalar] = []
    var deadlineFrames = 0
    for eighth in 0...8 {
      if window.advance(to: .milliseconds(Int64(eighth * 100))).needsDisplay { deadlineFrames += 1 }
      let canvas = TextCanvas(columns: 10, rows: 3)
      window.draw(on: canvas)
      glyphs.append(canvas.glyph(x: 4, y: 0))
      if (1...7).contains(eighth) {
        #expect(canvas.style(x: 4, y: 0).foreground == Color(200, 0, 0))
        #expect(canvas.style(x: 4, y: 0).background == Color(0, 0, 0))
      }
      #expect(canvas.glyph(x: 0, y: 0) == "t")
    }
    #expect(glyphs == [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", " "])
    #expect(deadlineFrames == 9)
    window.animate(withDuration: .milliseconds(800), curve: .linear) {
      pane.frame = Rect(x: 1, y: 0, width: 4, height: 1)
    }
    var columns: [Int] = []
    for eighth in 0...8 {
      window.advance(to: .milliseconds(Int64(800 + eighth * 100)))
      let canvas = TextCanvas(columns: 10, rows: 3)
      window.draw(on: canvas)
      columns.append(canvas.rows()[0].unicodeScalars.enumerated().first { $0.element == "t" }?.offset ?? -1)
    }
    #expect(zip(columns, columns.dropFirst()).filter { $0 != $1 }.count == 1)
    let rising = View()
    rising.backgroundColor = Color(0, 0, 200)
    rising.edgeStyle = .eighths
    rising.frame = Rect(x: 8, y: 2, width: 1, height: 1)
    window.root.addSubview(rising)
    window.advance(to: window.time)
    let start = window.time
    window.animate(withDuration: .milliseconds(800), curve: .linear) {
      rising.frame = Rect(x: 8, y: 1, width: 1, height: 2)
    }
    glyphs = []
    for eighth in 1...7 {
      window.advance(to: start + .milliseconds(eighth * 100))
      let canvas = TextCanvas(columns: 10, rows: 3)
      window.draw(on: canvas)
      glyphs.append(canvas.glyph(x: 8, y: 1))
    }
    #expect(glyphs == ["▁", "▂", "▃", "▄", "▅", "▆", "▇"])
  }

  @Test("alpha blends towards what is behind; hidden and fully transparent views are not drawn")
  func alpha() {
    let window = Window(size: Size(width: 4, height: 1))
    window.root.backgroundColor = Color(0, 0, 0)
    let view = View()
    view.backgroundColor = Color(200, 100, 0)
    view.frame = Rect(x: 0, y: 0, width: 2, height: 1)
    window.root.addSubview(view)
    view.alpha = 0.5
    #expect(draw(window).style(x: 0, y: 0).background == Color(100, 50, 0))
    #expect(draw(window).style(x: 3, y: 0).background == Color(0, 0, 0))
    view.alpha = 0
    #expect(draw(window).style(x: 0, y: 0).background == Color(0, 0, 0))
    #expect(window.hitTest(Point(x: 0, y: 0)) === window.root)
    view.alpha = 1
    view.isHidden = true
    #expect(draw(window).style(x: 0, y: 0).background == Color(0, 0, 0))
  }

  @Test("subviews are drawn in order and cut off where a view clips")
  func clipping() {
    let window = Window(size: Size(width: 8, height: 2))
    let host = View()
    host.frame = Rect(x: 2, y: 0, width: 4, height: 1)
    host.clipsToBounds = true
    let (one, two) = (GlyphView("one", glyph: "1"), GlyphView("two", glyph: "2"))
    one.frame = Rect(x: -2, y: 0, width: 8, height: 2)
    two.frame = Rect(x: 1, y: 0, width: 1, height: 1)
    window.root.addSubview(host)
    host.addSubview(one)
    host.addSubview(two)
    #expect(draw(window).rows() == ["  1211  ", "        "])
    host.bringSubviewToFront(one)
    #expect(draw(window).rows() == ["  1111  ", "        "])
    host.clipsToBounds = false
    #expect(draw(window).rows() == ["11111111", "11111111"])
  }
}
