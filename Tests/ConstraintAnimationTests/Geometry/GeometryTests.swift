import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct GeometryTests {
  @Test("center moves a view placed by hand and keeps its size, animated in a block")
  func center() {
    let window = Window(size: Size(width: 80, height: 24))
    let holder = View()
    let view = View()
    window.root.addSubview(holder)
    holder.addSubview(view)
    holder.frame = Rect(x: 10, y: 2, width: 40, height: 20)
    view.frame = Rect(x: 4, y: 4, width: 6, height: 2)
    #expect(view.center == Point(x: 7, y: 5))
    view.center = Point(x: 20, y: 10)
    #expect(view.frame == Rect(x: 17, y: 9, width: 6, height: 2))
    #expect(view.windowFrame == Rect(x: 27, y: 11, width: 6, height: 2))
    window.advance(to: .zero)
    window.animate(withDuration: .seconds(1), curve: .linear) { view.center = Point(x: 30, y: 10) }
    window.advance(to: .milliseconds(500))
    #expect(view.presentationFrame.minX == 32)
    let free = View()
    free.center = Point(x: 3, y: 4)
    #expect(free.frame == Rect(x: 3, y: 4, width: 0, height: 0))
  }

  @Test("left and right anchors are the leading and trailing ones")
  func leftAndRight() throws {
    let window = Window(size: Size(width: 80, height: 24))
    let view = View()
    window.root.addSubview(view)
    try LayoutConstraint.activate([
      view.leftAnchor.constraint(equalTo: window.root.leftAnchor, constant: 3),
      view.rightAnchor.constraint(equalTo: window.root.trailingAnchor, constant: -5),
    ])
    window.layoutNow()
    #expect(view.windowFrame.minX == 3 && view.windowFrame.maxX == 75)
    #expect(view.constraints(affecting: .leading).count == 1)
  }

  @Test("points and rectangles convert between views, both ways")
  func conversion() {
    let window = Window(size: Size(width: 80, height: 24))
    let one = View()
    let two = View()
    let inner = View()
    for view in [one, two] { window.root.addSubview(view) }
    two.addSubview(inner)
    one.frame = Rect(x: 5, y: 1, width: 30, height: 10)
    two.frame = Rect(x: 40, y: 12, width: 30, height: 10)
    inner.frame = Rect(x: 2, y: 3, width: 8, height: 4)
    window.layoutNow()
    let rect = Rect(x: 1, y: 1, width: 4, height: 2)
    #expect(inner.convert(rect, to: nil) == Rect(x: 43, y: 16, width: 4, height: 2))
    #expect(inner.convert(rect, to: one) == Rect(x: 38, y: 15, width: 4, height: 2))
    #expect(one.convert(rect, from: inner) == inner.convert(rect, to: one))
    #expect(inner.convert(inner.convert(rect, to: one), from: one) == rect)
    #expect(inner.convert(Rect(x: 43, y: 16, width: 4, height: 2), from: nil) == rect)
    #expect(one.convert(Point(x: 1, y: 1), from: inner) == inner.convert(Point(x: 1, y: 1), to: one))
  }

  @Test("a rectangle of a turned view converts to the one around its corners")
  func turned() {
    let window = Window(size: Size(width: 80, height: 24))
    let view = View()
    window.root.addSubview(view)
    view.frame = Rect(x: 20, y: 6, width: 16, height: 4)
    view.transform = .rotation(.pi / 2)
    window.layoutNow()
    let around = view.convert(view.bounds, to: nil)
    // 16 columns of 8 points stand 8 rows of 16 high, 4 rows lie 8 columns wide, about the same middle.
    #expect(abs(around.width - 8) < 1e-9 && abs(around.height - 8) < 1e-9)
    #expect(abs(around.midX - 28) < 1e-9 && abs(around.midY - 8) < 1e-9)
  }

  @Test("presentationFrame: whole cells at rest, fractions on the way, the model's own in windowFrame")
  func presentation() {
    let window = Window(size: Size(width: 80, height: 24))
    let view = View()
    window.root.addSubview(view)
    view.frame = Rect(x: 1.25, y: 0, width: 4, height: 1)
    window.advance(to: .zero)
    #expect(view.presentationFrame.minX == 1 && view.windowFrame.minX == 1.25)
    window.animate(withDuration: .seconds(1), curve: .linear) { view.frame.origin.x = 11.25 }
    window.advance(to: .milliseconds(250))
    #expect(view.presentationFrame.minX == 3.5 && view.cellFrame.x0 == 4)
  }
}
