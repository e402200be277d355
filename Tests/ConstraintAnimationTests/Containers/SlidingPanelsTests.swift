import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

/// "Sliding UIViews with Core Animation": three panels below a plot.
@Suite struct SlidingPanelsTests {
  @Test(
    "the plot's cells do not change while a panel slides", arguments: [(80, 24), (120, 40), (200, 60)])
  func plotStays(columns: Int, rows: Int) throws {
    let scene = try PanelScene(columns: Double(columns), rows: Double(rows))
    let area = scene.plot.cellFrame
    let before = scene.draw().rows(in: area)
    for vertically in [false, true] {
      if vertically {
        try scene.manager.slideVertically(activate: .histogram)
      } else {
        try scene.manager.slideHorizontally(activate: .log)
      }
      let start = scene.window.time
      var changed = false
      for frame in 0...16 {
        scene.window.advance(to: start + .nanoseconds(frame * 1_000_000_000 / 60))
        let canvas = scene.draw()
        #expect(canvas.rows(in: area) == before)
        changed = changed || canvas.rows(in: scene.host.cellFrame).joined().contains("l")
      }
      #expect(changed)
    }
  }

  @Test("the guide keeps the plot in place, whatever becomes of the pages")
  func guideHolds() throws {
    let scene = try PanelScene()
    let plot = scene.plot.cellFrame
    for page in scene.pages { page.isHidden = true }
    scene.window.advance(to: .zero)
    #expect(scene.plot.cellFrame == plot)
    #expect(scene.window.hitTest(Point(x: 5, y: 20)) === scene.host)
    scene.window.resize(to: Size(width: 132, height: 50))
    #expect(scene.guide.cellFrame == CellRect(x0: 0, y0: 26, x1: 132, y1: 50))
    #expect(scene.plot.cellFrame == CellRect(x0: 0, y0: 1, x1: 132, y1: 26))
    #expect(scene.pages.allSatisfy { $0.cellFrame == scene.guide.cellFrame })
    for page in scene.pages { page.removeFromSuperview() }
    scene.window.resize(to: Size(width: 80, height: 24))
    #expect(scene.plot.cellFrame == plot)
  }

  @Test("a constant of the host's width shoves the page out exactly")
  func constantShoves() throws {
    let scene = try PanelScene()
    let edges = try scene.host.edgeConstraints(of: scene.page(.histogram))
    edges.leading.constraint.constant = 80
    edges.trailing.constraint.constant = 80
    scene.window.advance(to: .zero)
    #expect(scene.page(.histogram).cellFrame.x0 == scene.host.cellFrame.x1)
    #expect(scene.page(.histogram).windowFrame.minX == scene.host.windowFrame.maxX)
    #expect(!scene.draw().text.contains("h"))
  }

  @Test("presentation values follow the curve from the old value to the new")
  func followsCurve() throws {
    let scene = try PanelScene()
    let page = scene.page(.histogram)
    let edges = try scene.host.edgeConstraints(of: page)
    let curve = TimingCurve.cubicBezier(x1: 0.3, y1: 0.1, x2: 0.2, y2: 1)
    scene.window.animate(withDuration: .milliseconds(250), curve: curve) {
      edges.displace(x: -80, y: 0)
      page.layoutIfNeeded()
    }
    #expect(page.presentationFrame.minX == 0)
    for frame in 1...14 {
      scene.window.advance(to: .frame(Int64(frame)))
      let expected = 0 + (-80 - 0) * curve.value(at: Double(frame) / 15)
      #expect(abs(page.presentationFrame.minX - expected) < 1e-6)
      let exact = -80 * curve.value(at: Double(scene.window.time.nanoseconds) / 250e6)
      #expect(abs(page.presentationFrame.minX - exact) < 1e-9)
    }
    scene.window.advance(to: .milliseconds(250))
    #expect(page.presentationFrame.minX == -80)
  }

  @Test("constraints are found by edge in whichever order they were written", arguments: [false, true])
  func foundByEdge(superviewFirst: Bool) throws {
    let window = Window(size: Size(width: 80, height: 24))
    let page = View()
    window.root.addSubview(page)
    let made: [(LayoutAttribute, LayoutConstraint)] =
      superviewFirst
      ? [
        (.leading, window.root.leadingAnchor.constraint(equalTo: page.leadingAnchor)),
        (.trailing, window.root.trailingAnchor.constraint(equalTo: page.trailingAnchor)),
        (.top, window.root.topAnchor.constraint(equalTo: page.topAnchor)),
        (.bottom, window.root.bottomAnchor.constraint(equalTo: page.bottomAnchor)),
      ]
      : [
        (.leading, page.leadingAnchor.constraint(equalTo: window.root.leadingAnchor)),
        (.trailing, page.trailingAnchor.constraint(equalTo: window.root.trailingAnchor)),
        (.top, page.topAnchor.constraint(equalTo: window.root.topAnchor)),
        (.bottom, page.bottomAnchor.constraint(equalTo: window.root.bottomAnchor)),
      ]
    try LayoutConstraint.activate(made.map(\.1))
    for (attribute, constraint) in made {
      #expect(
        page.constraints(affecting: attribute).map(ObjectIdentifier.init) == [ObjectIdentifier(constraint)])
      #expect(constraint.owner === window.root)
      #expect(constraint.edgeSign(for: page) == (superviewFirst ? -1 : 1))
    }
    #expect(View().constraints(affecting: .leading).isEmpty)
  }

  @Test("a page that was dropped is freed, and sliding to it is an error that changes nothing")
  func weakPages() throws {
    let window = Window(size: Size(width: 80, height: 24))
    let manager = LowerViewManager<Panel>(active: .histogram)
    let buttons = [View(), View()]
    weak var dropped: View?
    try {
      for (tag, button) in buttons.enumerated() {
        let page = View()
        page.tag = tag
        window.root.addSubview(page)
        try LayoutConstraint.activate(page.pinned(to: window.root))
        try manager.add(view: page, button: button)
        if tag == 1 { dropped = page }
      }
    }()
    window.advance(to: .zero)
    #expect(dropped != nil)
    dropped?.removeFromSuperview()
    #expect(dropped == nil)
    #expect(throws: LowerView.Failure.missingPage(1)) { try manager.slideHorizontally(activate: .log) }
    #expect(manager.active == .histogram)
    #expect(!manager.isSliding)
  }

  @Test(
    "a page moves along one axis only",
    arguments: [SlideDirection.left, .right, .up, .down])
  func oneAxis(direction: SlideDirection) throws {
    let scene = try PanelScene()
    try scene.manager.slide(to: .events, direction)
    let horizontal = direction == .left || direction == .right
    for frame in 0...15 {
      scene.window.advance(to: .frame(Int64(frame)))
      for panel in [Panel.histogram, .events] {
        let cells = scene.page(panel).cellFrame
        if horizontal {
          #expect(cells.y0 == scene.host.cellFrame.y0 && cells.y1 == scene.host.cellFrame.y1)
        } else {
          #expect(cells.x0 == scene.host.cellFrame.x0 && cells.x1 == scene.host.cellFrame.x1)
        }
      }
    }
  }

  @Test("on frame 0 the incoming page is exactly one host away, off screen")
  func startsOneHostAway() throws {
    let scene = try PanelScene()
    try scene.manager.slideHorizontally(activate: .log)
    #expect(scene.page(.log).cellFrame.x0 == scene.host.cellFrame.x1)
    #expect(!scene.draw().text.contains("l"))
    let vertical = try PanelScene()
    try vertical.manager.slideVertically(activate: .log)
    #expect(vertical.page(.log).cellFrame.y1 == vertical.host.cellFrame.y0)
    #expect(!vertical.draw().text.contains("l"))
  }

  @Test("the first frame draws the page's first column; at the end it covers the host")
  func firstColumn() throws {
    let scene = try PanelScene(columns: 120)
    try scene.manager.slideHorizontally(activate: .log)
    #expect(!scene.page(.log).isHidden)
    scene.window.advance(to: .frame(1))
    let row = try #require(scene.draw().rows(in: scene.host.cellFrame).first)
    #expect(row.last == "l")
    #expect(row.first == "h")
    scene.window.advance(to: .frame(15))
    #expect(scene.page(.log).cellFrame == scene.host.cellFrame)
    #expect(scene.draw().rows(in: scene.host.cellFrame).allSatisfy { $0.allSatisfy { $0 == "l" } })
  }

  @Test("a slide lasts 15 frames at 60 Hz and is half done at its half")
  func duration() throws {
    let scene = try PanelScene()
    try scene.manager.slideHorizontally(activate: .log)
    scene.window.advance(to: .milliseconds(125))
    #expect(scene.page(.histogram).cellFrame.x0 == -40)
    #expect(scene.page(.log).cellFrame.x0 == 40)
    scene.window.advance(to: .frame(14))
    #expect(scene.manager.isSliding)
    scene.window.advance(to: .frame(15))
    #expect(!scene.manager.isSliding)
    #expect(scene.page(.histogram).isHidden)
  }

  @Test("tints change when the slide is over, not before")
  func tints() throws {
    let scene = try PanelScene()
    #expect(scene.buttons.map(\.tintColor) == [Color(0, 255, 255), Color(10, 96, 254), Color(10, 96, 254)])
    try scene.manager.slideHorizontally(activate: .log)
    scene.window.advance(to: .frame(14))
    #expect(scene.buttons[0].presentationTintColor == Color(0, 255, 255))
    #expect(scene.buttons[1].presentationTintColor == Color(10, 96, 254))
    let change = scene.window.advance(to: .frame(15))
    #expect(scene.buttons[0].presentationTintColor == Color(10, 96, 254))
    #expect(scene.buttons[1].presentationTintColor == Color(0, 255, 255))
    #expect(change.needsDisplay)
  }

  @Test(
    "each direction enters from the far side and leaves on its own",
    arguments: [
      (SlideDirection.left, 1, 0), (.right, -1, 0), (.down, 0, -1), (.up, 0, 1),
    ])
  func directions(direction: SlideDirection, fromX: Int, fromY: Int) throws {
    let scene = try PanelScene()
    let host = scene.host.cellFrame
    try scene.manager.slide(to: .events, direction)
    #expect(
      scene.page(.events).cellFrame == host.offsetBy(dx: fromX * host.width, dy: fromY * host.height))
    scene.window.advance(to: .frame(14))
    let leaving = scene.page(.histogram).cellFrame
    #expect((leaving.x0 - host.x0).signum() == -fromX)
    #expect((leaving.y0 - host.y0).signum() == -fromY)
  }

  @Test("both pages move together, without gap or overlap", arguments: [20.0, 80, 81, 133, 200])
  func together(columns: Double) throws {
    let scene = try PanelScene(columns: columns, rows: 31)
    try scene.manager.slideHorizontally(activate: .events)
    #expect(scene.page(.histogram).cellFrame.x1 == scene.page(.events).cellFrame.x0)
    for frame in 1..<15 {
      scene.window.advance(to: .frame(Int64(frame)))
      #expect(scene.page(.histogram).cellFrame.x1 == scene.page(.events).cellFrame.x0)
    }
  }

  @Test("choosing the active page draws nothing")
  func activeAgain() throws {
    let scene = try PanelScene()
    let before = scene.draw()
    try scene.manager.slideHorizontally(activate: .histogram)
    try scene.manager.slideVertically(activate: .histogram)
    let change = scene.window.advance(to: .frame(1))
    #expect(!change.needsDisplay)
    #expect(scene.window.nextDeadline == nil)
    #expect(scene.draw().changedCells(from: before) == 0)
  }

  @Test(
    "the order of the pages gives the direction", arguments: Panel.allCases, Panel.allCases)
  func order(from: Panel, to: Panel) throws {
    guard from != to else { return }
    let later = to.rawValue > from.rawValue
    let horizontal = try PanelScene(active: from)
    try horizontal.manager.slideHorizontally(activate: to)
    #expect((horizontal.page(to).cellFrame.x0 > 0) == later)
    let vertical = try PanelScene(active: from)
    try vertical.manager.slideVertically(activate: to)
    #expect((vertical.page(to).cellFrame.y0 < vertical.host.cellFrame.y0) == later)
  }

  @Test("pages without a kind or without an edge are refused")
  func refusals() throws {
    let window = Window(size: Size(width: 80, height: 24))
    let manager = LowerViewManager<Panel>(active: .histogram)
    let page = View()
    page.tag = 7
    #expect(throws: LowerView.Failure.invalidTag(7)) { try manager.add(view: page, button: View()) }
    page.tag = 1
    #expect(throws: LowerView.Failure.noSuperview) { try manager.add(view: page, button: View()) }
    window.root.addSubview(page)
    let pins = page.pinned(to: window.root)
    try LayoutConstraint.activate(pins)
    for (pin, attribute) in zip(pins, [LayoutAttribute.leading, .trailing, .top, .bottom]) {
      pin.isActive = false
      #expect(throws: LowerView.Failure.missingConstraint(attribute)) {
        try manager.add(view: page, button: View())
      }
      pin.isActive = true
    }
    try manager.add(view: page, button: View())
  }

  @Test("a method can be handed on unbound and bound later")
  func unboundMethod() throws {
    typealias Manager = LowerViewManager<Panel>
    let methods: [(Manager) -> (Panel) throws(LowerView.Failure) -> Void] = [
      Manager.slideHorizontally(activate:), Manager.slideVertically(activate:),
    ]
    let scene = try PanelScene()
    try methods[0](scene.manager)(.log)
    #expect(scene.manager.active == .log)
  }

  @Test("one call finds the four constraints of a page")
  func edgeConstraints() throws {
    for hostFirst in [false, true] {
      let scene = try PanelScene(hostFirst: hostFirst)
      let edges = try scene.host.edgeConstraints(of: scene.page(.log))
      edges.displace(x: 7, y: -3)
      scene.window.advance(to: .zero)
      #expect(scene.page(.log).cellFrame == scene.host.cellFrame.offsetBy(dx: 7, dy: -3))
      #expect(edges.trailing.displacement == 7)
    }
  }
}
