import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

/// "Animated Layout for Swift with Shinpuru": groups.
@Suite struct StackGroupTests {
  private func makeWindow(_ columns: Int, _ group: StackGroup, rows: Int = 10) -> Window {
    let window = Window(size: Size(width: Double(columns), height: Double(rows)))
    group.frame = Rect(x: 0, y: 0, width: Double(columns), height: Double(rows))
    window.root.addSubview(group)
    window.advance(to: .zero)
    return window
  }

  @Test("groups nest and tile their parent exactly", arguments: [61, 80, 97, 120])
  func nested(columns: Int) {
    let outer = StackGroup(axis: .vertical, margin: 0)
    var leaves: [View] = []
    for _ in 0..<3 {
      let row = StackGroup(axis: .horizontal, margin: 0)
      for _ in 0..<3 {
        let column = StackGroup(axis: .vertical, margin: 0)
        for _ in 0..<3 {
          let leaf = View()
          column.addSubview(leaf)
          leaves.append(leaf)
        }
        row.addSubview(column)
      }
      outer.addSubview(row)
    }
    #expect(outer.children.count == 3)
    let window = makeWindow(columns, outer, rows: 31)
    var covered = Array(repeating: 0, count: columns * 31)
    for leaf in leaves {
      for y in leaf.cellFrame.y0..<leaf.cellFrame.y1 {
        for x in leaf.cellFrame.x0..<leaf.cellFrame.x1 { covered[y * columns + x] += 1 }
      }
    }
    #expect(covered.allSatisfy { $0 == 1 })
    #expect(window.diagnostics.isEmpty)
  }

  @Test("a margin of 1 is exactly one blank column, on every width")
  func margin() {
    for columns in 20...200 {
      let group = StackGroup(axis: .horizontal)
      let panes = [View(), View(), View()]
      group.children = panes
      _ = makeWindow(columns, group)
      #expect(panes[1].cellFrame.x0 - panes[0].cellFrame.x1 == 1, "\(columns) columns")
      #expect(panes[2].cellFrame.x0 - panes[1].cellFrame.x1 == 1, "\(columns) columns")
      #expect(panes[0].cellFrame.x0 == 0)
      #expect(panes[2].cellFrame.x1 == columns - 1)
    }
    let wide = StackGroup(axis: .vertical, margin: 3)
    let rows = [View(), View()]
    wide.children = rows
    _ = makeWindow(20, wide, rows: 20)
    #expect(rows.map(\.cellFrame.y0) == [1, 11])
    #expect(rows.map(\.cellFrame.y1) == [8, 18])
  }

  @Test(
    "explicit sizes, percentages and equal shares",
    arguments: [
      (100, [40.0, 15, 22.5, 22.5]), (200, [40, 40, 60, 60]), (48, [40, 2, 3, 3]), (40, [40, 0, 0, 0]),
      (20, [40, 0, 0, 0]),
    ])
  func sizes(available: Int, expected: [Double]) {
    let children = [View(), View(), View(), View()]
    children[0].explicitSize = 40
    children[1].percentageSize = 25
    children[1].explicitSize = 99
    let metrics = StackGroup.calculateLayoutMetrics(children)
    let places = StackGroup.calculateChildMetrics(children, metrics, availableSize: Double(available))
    #expect(places.map(\.size) == expected)
  }

  @Test("the shares of children, also when none is flexible")
  func layoutMetrics() {
    let children = [View(), View(), View()]
    #expect(
      StackGroup.calculateLayoutMetrics(children)
        == LayoutMetrics(childPercentageSizes: [100.0 / 3, 100.0 / 3, 100.0 / 3], totalExplicitSize: 0))
    children[0].explicitSize = 10
    children[1].explicitSize = 20
    children[2].percentageSize = 30
    let metrics = StackGroup.calculateLayoutMetrics(children)
    #expect(metrics.totalExplicitSize == 30)
    #expect(metrics.childPercentageSizes[2] == 30)
    #expect(metrics.childPercentageSizes.allSatisfy { $0.isFinite })
    #expect(
      StackGroup.calculateLayoutMetrics([]) == LayoutMetrics(childPercentageSizes: [], totalExplicitSize: 0))
    children[0].explicitSize = nil
    children[0].percentageSize = 90
    let beyond = StackGroup.calculateLayoutMetrics(children + [View()])
    #expect(beyond.childPercentageSizes.last == 0)
  }

  @Test("sizes add up to what there is when a child is flexible")
  func sum() {
    var generator = SeededGenerator(seed: 45)
    for _ in 0..<500 {
      let children = (0..<Int.random(in: 1...8, using: &generator)).map { _ in View() }
      var percentages = 0.0
      for child in children.dropFirst() {
        switch Int.random(in: 0...2, using: &generator) {
        case 0: child.explicitSize = Double(Int.random(in: 0...9, using: &generator))
        case 1 where percentages < 80:
          child.percentageSize = Double(Int.random(in: 0...20, using: &generator))
          percentages += child.percentageSize ?? 0
        default: break
        }
      }
      let places = StackGroup.calculateChildMetrics(
        children, StackGroup.calculateLayoutMetrics(children), availableSize: 100)
      #expect(abs(places.reduce(0) { $0 + $1.size } - 100) < 1e-9)
      for (one, next) in zip(places, places.dropFirst()) {
        #expect(abs(one.origin + one.size - next.origin) < 1e-9)
      }
    }
  }

  @Test(
    "a new child's gap grows evenly for ten frames, then the child fades in; nobody moves at the swap")
  func add() {
    let group = StackGroup(axis: .horizontal, margin: 0)
    let panes = [View(), View()]
    group.children = panes
    let window = makeWindow(120, group)
    let child = View()
    group.addChild(child, at: 1)
    var gaps: [Int] = []
    var alphas: [Double] = []
    for frame in 0...26 {
      window.advance(to: .frame(Int64(frame)))
      gaps.append(panes[1].cellFrame.x0 - panes[0].cellFrame.x1)
      alphas.append(child.presentationAlpha)
    }
    #expect(gaps.prefix(11) == [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40])
    #expect(gaps.dropFirst(11).allSatisfy { $0 == 40 })
    #expect(alphas.prefix(11).allSatisfy { $0 == 0 })
    #expect(abs(alphas[10 + 7] - TimingCurve.easeInOut.value(at: 7.0 / 15)) < 1e-6)
    #expect(alphas[25] == 1)
    #expect(child.cellFrame == CellRect(x0: 40, y0: 0, x1: 80, y1: 10))
    #expect(!group.isAnimationRunning)
    #expect(window.nextDeadline == nil)
    group.addChild(View(identifier: "last"), at: 99)
    window.advance(to: window.time + .seconds(1))
    #expect(group.children.last?.identifier == "last")
  }

  @Test("a child fades out before its gap closes; an index out of range is ignored")
  func remove() {
    let group = StackGroup(axis: .horizontal, margin: 0)
    let panes = [View(), View(), View()]
    group.children = panes
    let window = makeWindow(120, group)
    group.removeChild(at: 1)
    var gaps: [Int] = []
    var alphas: [Double] = []
    for frame in 0...26 {
      window.advance(to: .frame(Int64(frame)))
      gaps.append(panes[2].cellFrame.x0 - panes[0].cellFrame.x1)
      alphas.append(panes[1].presentationAlpha)
    }
    #expect(gaps.prefix(16).allSatisfy { $0 == 40 })
    #expect(gaps.dropFirst(16).prefix(9) == [36, 32, 28, 24, 20, 16, 12, 8, 4])
    #expect(gaps[25] == 0)
    #expect(alphas[0] == 1 && alphas[15] == 0)
    #expect(zip(alphas, alphas.dropFirst()).allSatisfy { $0 >= $1 || $1 == 1 })
    #expect(panes[1].superview == nil)
    #expect(group.children.count == 2)
    group.removeChild(at: 5)
    group.removeChild(at: -1)
    #expect(!group.isAnimationRunning)
    #expect(window.nextDeadline == .frame(26) || window.nextDeadline == nil)
  }

  @Test("requests made meanwhile run one after the other; a child is added once")
  func queued() {
    let group = StackGroup(axis: .horizontal, margin: 0)
    group.children = [View(identifier: "a")]
    let window = makeWindow(120, group)
    let fresh = (1...5).map { View(identifier: "new \($0)") }
    for (index, child) in fresh.enumerated() {
      window.advance(to: .milliseconds(Int64(index * 20)))
      group.addChild(child, at: 1)
      group.addChild(child, at: 0)
    }
    #expect(group.pendingAnimationCount == 4)
    #expect(group.children.map(\.identifier) == ["a", "new 1"])
    let one = 166_666_667 + 250_000_000
    window.advance(to: MotionTime(nanoseconds: Int64(5 * one - 1)))
    #expect(group.isAnimationRunning)
    window.advance(to: MotionTime(nanoseconds: Int64(5 * one)))
    #expect(!group.isAnimationRunning)
    #expect(group.children.map(\.identifier) == ["a", "new 5", "new 4", "new 3", "new 2", "new 1"])
    #expect(fresh.allSatisfy { $0.alpha == 1 })
  }

  @Test("the end comes at the same time at any frame rate")
  func frameRates() {
    var ends: [[String]] = []
    for rate in [30, 60, 7, 0] {
      let group = StackGroup(axis: .horizontal)
      group.children = [View()]
      let window = makeWindow(80, group)
      var log: [String] = []
      window.onMotionEvent = { log.append("\($0) \(window.time.nanoseconds)") }
      group.addChild(View(), at: 0)
      group.removeChild(at: 1)
      var generator = SeededGenerator(seed: 9)
      while window.time < .milliseconds(1000) {
        let step = rate > 0 ? 1_000_000_000 / rate : Int.random(in: 1...90_000_000, using: &generator)
        window.advance(to: window.time + .nanoseconds(step))
      }
      ends.append(log)
    }
    #expect(Set(ends).count == 1)
    #expect(ends[0].count == 8)
  }

  @Test("rows of boxes with a toolbar, boxes inserted at index 2")
  func demo() {
    let main = StackGroup(axis: .vertical, margin: 1)
    let rows = StackGroup(axis: .vertical, margin: 1)
    let toolbar = GlyphView("toolbar", glyph: "=")
    toolbar.explicitSize = 2
    main.children = [rows, toolbar]
    let boxes = (0..<3).map { GlyphView("box", glyph: ["0", "1", "2"][$0]) }
    let row = StackGroup(axis: .horizontal, margin: 1)
    row.children = boxes
    rows.children = [row]
    let window = makeWindow(25, main, rows: 6)
    row.addChild(GlyphView("new", glyph: "n"), at: 2)
    window.advance(to: .milliseconds(500))
    let canvas = TextCanvas(columns: 25, rows: 6)
    window.draw(on: canvas)
    #expect(
      canvas.rows() == [
        "00000 111111 nnnnn 22222 ", "00000 111111 nnnnn 22222 ", "                         ",
        "                         ", "=========================", "                         ",
      ])
  }

  @Test("spacers align left, center, right, at the edges and evenly")
  func alignAndDistribute() {
    func row(_ make: (() -> View) -> [View]) -> String {
      let group = StackGroup(axis: .horizontal, margin: 0)
      group.children = make {
        let box = GlyphView("box", glyph: "#")
        box.explicitSize = 4
        return box
      }
      let window = makeWindow(24, group, rows: 1)
      let canvas = TextCanvas(columns: 24, rows: 1)
      window.draw(on: canvas)
      return canvas.text
    }
    #expect(row { [$0(), $0(), Spacer()] } == "########                ")
    #expect(row { [Spacer(), $0(), $0(), Spacer()] } == "        ########        ")
    #expect(row { [Spacer(), $0(), $0()] } == "                ########")
    #expect(row { [$0(), Spacer(), $0()] } == "####                ####")
    #expect(row { [Spacer(), $0(), Spacer(), $0(), Spacer()] } == "     ####      ####     ")
  }

  @Test("whole sizes with the remainder in the last child, on request")
  func remainder() {
    let group = StackGroup(axis: .horizontal, margin: 0)
    let panes = [View(), View(), View()]
    group.children = panes
    group.distribution = .exactThenRemainderLast
    let window = makeWindow(50, group)
    #expect(panes.map(\.cellFrame.width) == [16, 16, 18])
    group.distribution = .proportional
    window.advance(to: .zero)
    #expect(panes.map(\.cellFrame.width) == [17, 16, 17])
  }

  @Test("nobody jumps when a gap becomes a child, with random mixes of sizes")
  func noJumpAtSwap() {
    var generator = SeededGenerator(seed: 99)
    for _ in 0..<60 {
      let group = StackGroup(axis: .horizontal)
      func makeChild() -> View {
        let view = View()
        switch Int.random(in: 0...2, using: &generator) {
        case 0: view.explicitSize = Double(Int.random(in: 3...12, using: &generator))
        case 1: view.percentageSize = Double(Int.random(in: 5...15, using: &generator))
        default: break
        }
        return view
      }
      group.children = (0..<Int.random(in: 1...5, using: &generator)).map { _ in makeChild() }
      let columns = Int.random(in: 60...140, using: &generator)
      let window = makeWindow(columns, group)
      let adds = Bool.random(using: &generator) || group.children.count == 1
      if adds {
        group.addChild(makeChild(), at: Int.random(in: 0...6, using: &generator))
      } else {
        group.removeChild(at: Int.random(in: 0..<group.children.count, using: &generator))
      }
      var last: [ObjectIdentifier: CellRect] = [:]
      for frame in 0...30 {
        window.advance(to: .frame(Int64(frame)))
        for child in group.children {
          let cells = child.cellFrame
          if let before = last[ObjectIdentifier(child)] {
            // At most a tenth of everything a frame while there is room to be made, and nothing around the swaps.
            let limit = adds ? (1...10) ~= frame : (16...25) ~= frame
            let step = max(abs(before.x0 - cells.x0), abs(before.x1 - cells.x1))
            #expect(step <= (limit ? columns / 10 + 1 : 0), "frame \(frame)")
          }
          last[ObjectIdentifier(child)] = cells
        }
      }
      #expect(!group.isAnimationRunning)
    }
  }

  @Test("the queue drains whatever is in it")
  func drains() {
    var generator = SeededGenerator(seed: 10)
    let group = StackGroup(axis: .vertical)
    let window = makeWindow(40, group, rows: 30)
    for _ in 0..<200 {
      if Bool.random(using: &generator) {
        group.addChild(View(), at: Int.random(in: -3...9, using: &generator))
      } else {
        group.removeChild(at: Int.random(in: -3...9, using: &generator))
      }
      if Int.random(in: 0...3, using: &generator) == 0 {
        window.advance(to: window.time + .milliseconds(Int.random(in: 0...600, using: &generator)))
      }
    }
    window.advance(to: window.time + .seconds(120))
    #expect(!group.isAnimationRunning)
    #expect(group.pendingAnimationCount == 0)
    #expect(group.children.allSatisfy { $0.alpha == 1 })
    window.advance(to: window.time)
    #expect(window.nextDeadline == nil)
  }

  @Test(
    "a resize in any phase: phases keep their order and the end fits", arguments: [true, false])
  func resizeInAnyPhase(adds: Bool) {
    for frame in 0...26 {
      let group = StackGroup(axis: .horizontal, margin: 0)
      let panes = [View(), View()]
      group.children = panes + (adds ? [] : [View()])
      let window = Window(size: Size(width: 120, height: 10))
      window.root.addSubview(group)
      for constraint in group.pinned(to: window.root) { constraint.isActive = true }
      window.advance(to: .zero)
      let child = adds ? View() : group.children[2]
      if adds { group.addChild(child, at: 1) } else { group.removeChild(at: 2) }
      window.advance(to: .frame(Int64(frame)))
      window.resize(to: Size(width: 90, height: 8))
      window.advance(to: .frame(Int64(frame)))
      let shrinksEarly = !adds && frame < 15 && panes[1].cellFrame.x1 != 60
      #expect(!shrinksEarly, "frame \(frame)")
      if adds, frame >= 10 { #expect(child.cellFrame.width == 30) }
      window.advance(to: .frame(27))
      let width = adds ? 30 : 45
      #expect(group.children.map(\.cellFrame.width) == Array(repeating: width, count: adds ? 3 : 2))
      #expect(!group.isAnimationRunning)
    }
  }

  @Test("a group in constraints offers its edges and the size of its children")
  func inConstraints() throws {
    let window = Window(size: Size(width: 40, height: 10))
    let group = StackGroup(axis: .horizontal, margin: 0)
    for size in [4.0, 6] {
      let child = View()
      child.explicitSize = size
      group.addSubview(child)
    }
    let label = View()
    window.root.addSubview(group)
    window.root.addSubview(label)
    try LayoutConstraint.activate([
      group.leadingAnchor.constraint(equalTo: window.root.leadingAnchor, constant: 1),
      group.topAnchor.constraint(equalTo: window.root.topAnchor),
      group.heightAnchor.constraint(equalToConstant: 2),
      label.leadingAnchor.constraint(equalTo: group.trailingAnchor, constant: 1),
      label.trailingAnchor.constraint(equalTo: window.root.trailingAnchor),
      label.topAnchor.constraint(equalTo: group.topAnchor),
      label.bottomAnchor.constraint(equalTo: group.bottomAnchor),
    ])
    window.layoutNow()
    #expect(label.cellFrame == CellRect(x0: 12, y0: 0, x1: 40, y1: 2))
    #expect(group.children[1].cellFrame == CellRect(x0: 5, y0: 0, x1: 11, y1: 2))
    group.children[1].explicitSize = 9
    window.layoutNow()
    #expect(label.cellFrame.x0 == 15)
  }
}
