import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct HierarchyTests {
  @Test("constraints that leave a removed subtree go, those inside come back with it")
  func removal() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let box = View(identifier: "box")
    let inner = View(identifier: "inner")
    window.root.addSubview(box)
    box.addSubview(inner)
    let outside = box.pinned(to: window.root)
    let inside = inner.pinned(to: box, inset: 1)
    try LayoutConstraint.activate(outside + inside)
    window.layoutNow()
    box.removeFromSuperview()
    #expect(outside.allSatisfy { !$0.isActive })
    #expect(inside.allSatisfy { $0.isActive })
    #expect(box.window == nil && inner.window == nil)
    inside[0].constant = 5
    window.root.addSubview(box)
    try LayoutConstraint.activate(box.pinned(to: window.root))
    window.layoutNow()
    #expect(inner.cellFrame == CellRect(x0: 5, y0: 1, x1: 39, y1: 9))
  }

  @Test("a removed view's animations complete unfinished and do not keep it alive")
  func removedWhileAnimated() throws {
    let window = Window(size: Size(width: 40, height: 10))
    var finished: [Bool] = []
    weak var gone: View?
    do {
      let view = View()
      view.frame = Rect(x: 0, y: 0, width: 4, height: 1)
      window.root.addSubview(view)
      window.layoutNow()
      window.animate(withDuration: .seconds(1)) {
        view.frame.origin.x = 20
      } completion: {
        finished.append($0)
      }
      gone = view
      window.advance(to: .milliseconds(300))
      view.removeFromSuperview()
    }
    #expect(finished == [false])
    window.advance(to: .milliseconds(310))
    #expect(gone == nil)
    #expect(window.nextDeadline == nil)
  }

  @Test("a window with everything in it is freed")
  func noCycles() throws {
    weak var window: Window?
    weak var page: View?
    try {
      let scene = try PanelScene()
      scene.host.addGestureRecognizer(scene.manager.makePanGestureRecognizer())
      try scene.manager.slideHorizontally(activate: .log)
      scene.window.advance(to: .milliseconds(100))
      window = scene.window
      page = scene.page(.log)
    }()
    #expect(window == nil)
    #expect(page == nil)
  }

  @Test("views outlive their window and come into another")
  func anotherWindow() throws {
    let page = View(identifier: "page")
    let label = View(identifier: "label")
    page.addSubview(label)
    try LayoutConstraint.activate(label.pinned(to: page, inset: 1))
    for columns in [40.0, 60] {
      let window = Window(size: Size(width: columns, height: 10))
      window.root.addSubview(page)
      try LayoutConstraint.activate(page.pinned(to: window.root))
      window.layoutNow()
      #expect(label.cellFrame == CellRect(x0: 1, y0: 1, x1: Int(columns) - 1, y1: 9))
      window.animate(withDuration: .seconds(1)) { page.alpha = 0.5 }
    }
    #expect(page.window == nil)
  }

  @Test("completions and actions that take views out find a whole tree")
  func reentrancy() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let (one, two) = (View(identifier: "one"), View(identifier: "two"))
    for view in [one, two] {
      view.frame = Rect(x: 0, y: 0, width: 4, height: 2)
      window.root.addSubview(view)
    }
    window.layoutNow()
    one.addGestureRecognizer(
      PanGestureRecognizer { if $0.state == .cancelled { one.removeFromSuperview() } })
    window.animate(withDuration: .seconds(1)) {
      two.frame.origin.x = 9
    } completion: { finished in
      #expect(!finished && two.superview == nil && two.window == nil)
      window.root.addSubview(two)
    }
    two.removeFromSuperview()
    #expect(two.superview === window.root)
    two.isHidden = true
    var pointer = Pointer(window, x: 1, y: 1)
    pointer.press()
    pointer.move(by: 3, over: .milliseconds(30))
    one.removeFromSuperview()
    #expect(one.superview == nil && one.window == nil)
    window.advance(to: .seconds(2))
    window.advance(to: .seconds(2))
    #expect(window.nextDeadline == nil)
  }

  @Test("views do not go into themselves; a view that is added again moves")
  func odd() {
    let (one, two) = (View(), View())
    one.addSubview(two)
    two.addSubview(one)
    one.addSubview(one)
    #expect(one.superview == nil && one.subviews.count == 1)
    let three = View()
    three.addSubview(two)
    #expect(one.subviews.isEmpty && two.superview === three)
  }

  @Test("constraints need a common ancestor and comparable attributes")
  func refusals() {
    let (one, two) = (View(identifier: "one"), View(identifier: "two"))
    #expect(throws: LayoutError.noCommonAncestor("one.leading == two.leading")) {
      try LayoutConstraint.activate([one.leadingAnchor.constraint(equalTo: two.leadingAnchor)])
    }
    one.addSubview(two)
    #expect(throws: LayoutError.incompatibleAttributes("one.leading == two.top")) {
      try LayoutConstraint.activate([
        LayoutConstraint(item: one, attribute: .leading, relatedBy: .equal, toItem: two, attribute: .top)
      ])
    }
    #expect(throws: LayoutError.notFinite("one.width == inf")) {
      try LayoutConstraint.activate([one.widthAnchor.constraint(equalToConstant: .infinity)])
    }
  }

  @Test("values that are not finite are refused")
  func notFinite() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let view = View(identifier: "view")
    window.root.addSubview(view)
    let width = view.widthAnchor.constraint(equalToConstant: 4)
    try LayoutConstraint.activate([width])
    width.constant = .nan
    #expect(width.constant == 4)
    view.alpha = .nan
    #expect(view.alpha == 1)
    view.transform = .translation(x: .infinity, y: 0)
    #expect(view.transform == .identity)
    view.edgeStyle = .eighths
    view.backgroundColor = Color(1, 1, 1)
    window.animate(
      withDuration: .seconds(1), curve: .cubicBezier(x1: .nan, y1: .infinity, x2: .nan, y2: .nan)
    ) {
      view.transform = .translation(x: 1e300, y: -1e300)
      width.constant = 1e300
      window.layoutNow()
    }
    for tenth in 0...11 {
      window.advance(to: .milliseconds(Int64(tenth * 100)))
      window.draw(on: TextCanvas(columns: 40, rows: 10))
    }
    width.constant = 4
    view.transform = .identity
    let other = View(identifier: "other")
    window.root.addSubview(other)
    other.frame = Rect(x: .infinity, y: 0, width: 1, height: 1)
    #expect(other.frame == .zero)
    other.explicitSize = .nan
    other.percentageSize = .infinity
    #expect(other.explicitSize == nil && other.percentageSize == nil)
    window.resize(to: Size(width: .nan, height: 3))
    #expect(window.size == Size(width: 40, height: 10))
    let notFinite = window.diagnostics.filter { if case .notFinite = $0 { true } else { false } }
    #expect(notFinite.count == 7, "\(window.diagnostics)")
  }

  @Test("a view by hand among constraints: what refers to it follows it")
  func mixed() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let box = View(identifier: "box")
    let label = View(identifier: "label")
    window.root.addSubview(box)
    window.root.addSubview(label)
    let inner = View(identifier: "inner")
    box.addSubview(inner)
    box.frame = Rect(x: 3, y: 1, width: 10, height: 4)
    try LayoutConstraint.activate(inner.pinned(to: box, inset: 1))
    window.layoutNow()
    #expect(inner.cellFrame == CellRect(x0: 4, y0: 2, x1: 12, y1: 4))
    window.animate(withDuration: .milliseconds(100), curve: .linear) {
      box.frame = Rect(x: 13, y: 1, width: 10, height: 4)
      window.layoutNow()
    }
    window.advance(to: .milliseconds(50))
    #expect(inner.cellFrame == CellRect(x0: 9, y0: 2, x1: 17, y1: 4))
    window.advance(to: .milliseconds(100))
    #expect(inner.frame == Rect(x: 1, y: 1, width: 8, height: 2))
  }

  @Test("a view nobody has placed lies at its superview's origin")
  func unplaced() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let (box, holder, leaf) = (View(), View(), View())
    box.frame = Rect(x: 5, y: 2, width: 20, height: 6)
    window.root.addSubview(box)
    box.addSubview(holder)
    holder.addSubview(leaf)
    leaf.frame = Rect(x: 1, y: 1, width: 3, height: 1)
    window.layoutNow()
    #expect(leaf.cellFrame == CellRect(x0: 6, y0: 3, x1: 9, y1: 4))
    box.frame.origin.x = 10
    #expect(leaf.cellFrame.x0 == 11)
    // Its first place by constraints is where it appears, it does not fly there.
    try LayoutConstraint.activate(holder.pinned(to: box))
    window.animate(withDuration: .seconds(1)) { window.layoutNow() }
    #expect(holder.cellFrame == box.cellFrame)
  }

  @Test("a window lives in any isolation domain; snapshots cross")
  func isolation() async throws {
    actor Screen {
      private let scene: PanelScene
      init() throws { scene = try PanelScene() }
      func choose(_ panel: Panel, at time: MotionTime) throws -> FrameSnapshot {
        scene.window.advance(to: time)
        try scene.manager.slideHorizontally(activate: panel)
        scene.window.advance(to: time + .milliseconds(125))
        return scene.window.snapshot()
      }
    }
    let one = try await Screen().choose(.log, at: .seconds(1))
    let other = try await Screen().choose(.log, at: .seconds(1))
    #expect(one == other)
    #expect(one.isAnimating)
  }

  @Test("content sizes hug and resist by priority")
  func intrinsic() throws {
    final class Badge: View {
      var text = "four" { didSet { invalidateIntrinsicContentSize() } }
      override var intrinsicContentSize: Size? { Size(width: Double(text.count), height: 1) }
    }
    let window = Window(size: Size(width: 20, height: 3))
    let (left, right) = (Badge(), Badge())
    window.root.addSubview(left)
    window.root.addSubview(right)
    try LayoutConstraint.activate([
      left.leadingAnchor.constraint(equalTo: window.root.leadingAnchor),
      right.leadingAnchor.constraint(equalTo: left.trailingAnchor),
      right.trailingAnchor.constraint(equalTo: window.root.trailingAnchor),
      left.topAnchor.constraint(equalTo: window.root.topAnchor),
      right.topAnchor.constraint(equalTo: window.root.topAnchor),
    ])
    left.setContentHuggingPriority(251, horizontal: true)
    window.layoutNow()
    #expect(left.windowFrame == Rect(x: 0, y: 0, width: 4, height: 1))
    #expect(right.windowFrame.width == 16)
    left.text = "rather longer"
    window.layoutNow()
    #expect(right.windowFrame.minX == 13)
    right.text = "twelve chars"
    right.setContentCompressionResistancePriority(751, horizontal: true)
    window.layoutNow()
    #expect(left.windowFrame.width == 8)
  }

  @Test("a layoutSubviews that never is content is stopped and named")
  func loop() {
    final class Restless: View {
      override func layoutSubviews() { setNeedsLayout() }
    }
    let window = Window(size: Size(width: 20, height: 3))
    let view = Restless(identifier: "restless")
    window.root.addSubview(view)
    window.layoutNow()
    #expect(window.diagnostics == [.layoutLoop("restless")])
  }
}
