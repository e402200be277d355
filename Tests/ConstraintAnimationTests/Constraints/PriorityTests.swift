import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

/// "Animating with AutoLayout": priorities that choose, and errors that name what is wrong.
@Suite struct PriorityTests {
  @Test("priorities choose one layout, whatever the order of insertion")
  func shuffled() throws {
    var generator = SeededGenerator(seed: 33)
    for round in 0..<1000 {
      let buttons = try TwoButtons(columns: 41) { $0.shuffle(using: &generator) }
      #expect(buttons.green.windowFrame.width == 0)
      #expect(buttons.blue.windowFrame == Rect(x: 0, y: 0, width: 41, height: 1))
      buttons.showBack(true)
      buttons.window.layoutNow()
      guard buttons.green.windowFrame.width == 20, buttons.blue.windowFrame.minX == 21,
        buttons.blue.windowFrame.width == 20
      else {
        Issue.record("round \(round): \(buttons.green.windowFrame) \(buttons.blue.windowFrame)")
        return
      }
    }
  }

  @Test(
    "a priority and a constant change in flight: gap and edges stay glued",
    arguments: [40.0, 81, 121])
  func showBack(columns: Double) throws {
    let buttons = try TwoButtons(columns: columns)
    buttons.window.layoutNow()
    buttons.window.animate(
      withDuration: .milliseconds(250), usingSpringWithDamping: 0.75, initialSpringVelocity: 0.7
    ) {
      buttons.showBack(true)
      buttons.window.layoutNow()
    }
    var gaps: [Int] = []
    for frame in 0...16 {
      buttons.window.advance(to: .frame(Int64(frame)))
      gaps.append(buttons.blue.cellFrame.x0 - buttons.green.cellFrame.x1)
      #expect(buttons.blue.cellFrame.x1 == Int(columns))
      #expect(buttons.green.cellFrame.x0 == 0)
    }
    #expect(gaps.allSatisfy { $0 == 0 || $0 == 1 })
    #expect(gaps.first == 0)
    #expect(gaps.last == 1)
    #expect(abs(buttons.green.cellFrame.width - buttons.blue.cellFrame.width) <= 1)
  }

  @Test("hiding and showing 200 times ends in the same layout to the bit")
  func noDrift() throws {
    let buttons = try TwoButtons(columns: 83)
    buttons.window.layoutNow()
    let hidden = [buttons.green.windowFrame, buttons.blue.windowFrame]
    buttons.showBack(true)
    buttons.window.layoutNow()
    let shown = [buttons.green.windowFrame, buttons.blue.windowFrame]
    for _ in 0..<200 {
      for (state, expected) in [(false, hidden), (true, shown)] {
        buttons.window.animate(
          withDuration: .milliseconds(100), usingSpringWithDamping: 0.75, initialSpringVelocity: 0.7
        ) {
          buttons.showBack(state)
          buttons.window.layoutNow()
        }
        buttons.window.advance(to: buttons.window.time + .milliseconds(70))
        #expect([buttons.green.windowFrame, buttons.blue.windowFrame] == expected)
      }
    }
  }

  @Test("flipping a priority and swapping constraints come to the same")
  func flipOrSwap() throws {
    let flipped = try TwoButtons(columns: 57)
    flipped.showBack(true)
    flipped.window.layoutNow()
    let swapped = try TwoButtons(columns: 57)
    swapped.equalWidth.isActive = false
    swapped.spacing.isActive = false
    try LayoutConstraint.activate([
      swapped.blue.widthAnchor.constraint(equalTo: swapped.green.widthAnchor).with(priority: 750),
      swapped.blue.leadingAnchor.constraint(equalTo: swapped.green.trailingAnchor, constant: 1)
        .with(priority: 750),
    ])
    swapped.window.layoutNow()
    #expect(LayoutDescription.of(flipped.window.root) == LayoutDescription.of(swapped.window.root))
    #expect(flipped.green.windowFrame.width == 28)
  }

  @Test("setting the frame of a constrained view is refused by name")
  func frameOfConstrainedView() throws {
    let buttons = try TwoButtons(columns: 40)
    var heard: [LayoutDiagnostic] = []
    buttons.window.onDiagnostic = { heard.append($0) }
    let before = buttons.blue.windowFrame
    buttons.blue.frame = Rect(x: 1, y: 0, width: 3, height: 1)
    #expect(heard == [.frameOfConstrainedView("blue")])
    #expect(heard[0].description.contains("blue"))
    #expect(buttons.blue.windowFrame == before)
  }

  @Test("a priority may become required and stop being so")
  func requiredAndBack() throws {
    let buttons = try TwoButtons(columns: 40)
    try buttons.equalWidth.setPriority(.required)
    buttons.window.layoutNow()
    #expect(buttons.green.windowFrame.width == 20)
    try buttons.equalWidth.setPriority(250)
    buttons.window.layoutNow()
    #expect(buttons.green.windowFrame.width == 0)
  }

  @Test("raising a priority into a contradiction is a typed error and changes nothing")
  func refusedPriority() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let view = View(identifier: "view")
    window.root.addSubview(view)
    let ten = view.widthAnchor.constraint(equalToConstant: 10).with(identifier: "ten")
    let twenty = view.widthAnchor.constraint(equalToConstant: 20).with(priority: 500).with(
      identifier: "twenty")
    try LayoutConstraint.activate([ten, twenty])
    window.layoutNow()
    let error = #expect(throws: LayoutError.self) { try twenty.setPriority(.required) }
    guard case .unsatisfiable(let broken, let others)? = error else {
      Issue.record("unexpected error \(String(describing: error))")
      return
    }
    #expect(broken.hasPrefix("twenty"))
    #expect(others.contains { $0.hasPrefix("ten") })
    #expect(twenty.priority == 500)
    window.layoutNow()
    #expect(view.windowFrame.width == 10)
    ten.isActive = false
    window.layoutNow()
    #expect(view.windowFrame.width == 20)
  }

  @Test("a contradiction is refused with the names of what is in conflict; the layout stays")
  func conflict() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let (left, right) = (View(identifier: "left"), View(identifier: "right"))
    window.root.addSubview(left)
    window.root.addSubview(right)
    try LayoutConstraint.activate(
      left.pinned(to: window.root).dropFirst(0).map { $0 } + [
        right.leadingAnchor.constraint(equalTo: left.leadingAnchor),
        right.widthAnchor.constraint(equalToConstant: 5),
        right.topAnchor.constraint(equalTo: left.topAnchor),
        right.heightAnchor.constraint(equalToConstant: 5),
      ])
    window.layoutNow()
    let before = LayoutDescription.of(window.root)
    let wide = right.trailingAnchor.constraint(equalTo: left.trailingAnchor).with(identifier: "wide")
    #expect(throws: LayoutError.self) { try LayoutConstraint.activate([wide]) }
    #expect(!wide.isActive)
    window.layoutNow()
    #expect(LayoutDescription.of(window.root) == before)
    var heard: [LayoutDiagnostic] = []
    window.onDiagnostic = { heard.append($0) }
    wide.isActive = true
    #expect(!wide.isActive)
    #expect(heard.count == 1)
    window.resize(to: Size(width: 20, height: 8))
    #expect(left.cellFrame == CellRect(x0: 0, y0: 0, x1: 20, y1: 8))
  }

  @Test("constants that contradict keep the last good layout until they agree again")
  func inconsistentConstants() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let view = View(identifier: "view")
    window.root.addSubview(view)
    let leading = view.leadingAnchor.constraint(equalTo: window.root.leadingAnchor)
    let trailing = view.trailingAnchor.constraint(equalTo: window.root.trailingAnchor)
    let width = view.widthAnchor.constraint(equalTo: window.root.widthAnchor)
    try LayoutConstraint.activate([leading, trailing, width])
    window.layoutNow()
    leading.constant = 40
    window.layoutNow()
    #expect(view.windowFrame.minX == 0)
    #expect(window.diagnostics.count == 1)
    trailing.constant = 40
    window.layoutNow()
    #expect(view.windowFrame.minX == 40)
    #expect(window.diagnostics.count == 1)
  }

  @Test("a subtree that brings a contradiction into a window loses only the constraint to blame")
  func conflictOnArrival() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let box = View(identifier: "box")
    let inner = View(identifier: "inner")
    box.addSubview(inner)
    let one = inner.widthAnchor.constraint(equalToConstant: 3).with(identifier: "one")
    let two = inner.widthAnchor.constraint(equalToConstant: 4).with(identifier: "two")
    let place = inner.leadingAnchor.constraint(equalTo: box.leadingAnchor, constant: 2)
    try LayoutConstraint.activate([one, two, place])
    box.frame = Rect(x: 5, y: 0, width: 20, height: 5)
    window.root.addSubview(box)
    window.layoutNow()
    #expect(one.isActive && !two.isActive && place.isActive)
    #expect(inner.windowFrame.minX == 7 && inner.windowFrame.width == 3)
    #expect(window.diagnostics.count == 1)
  }
}
