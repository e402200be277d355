import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

/// Random trees of views, each cut in two by a constraint; however they are animated, the leaves cover the window once.
@Suite struct TilingTests {
  struct Tree {
    let window: Window
    var leaves: [View] = []
    /// The places of the cuts, each a constant that may be between 0.4 and 0.6 of the whole.
    var cuts: [(constraint: LayoutConstraint, range: ClosedRange<Double>)] = []
    private var constraints: [LayoutConstraint] = []

    init(columns: Int, rows: Int, depth: Int, using generator: inout SeededGenerator) throws {
      window = Window(size: Size(width: Double(columns), height: Double(rows)))
      split(window.root, Double(columns), Double(rows), depth, &generator)
      try LayoutConstraint.activate(constraints)
      window.advance(to: .zero)
    }

    private mutating func split(
      _ view: View, _ width: Double, _ height: Double, _ depth: Int, _ generator: inout SeededGenerator
    ) {
      guard depth > 0 else {
        leaves.append(view)
        return
      }
      let horizontal = width > height * 2
      let (first, second) = (View(), View())
      view.addSubview(first)
      view.addSubview(second)
      let length = horizontal ? width : height
      let cut =
        horizontal
        ? first.widthAnchor.constraint(
          equalTo: view.widthAnchor, multiplier: 0.25, constant: length * 0.25)
        : first.heightAnchor.constraint(
          equalTo: view.heightAnchor, multiplier: 0.25, constant: length * 0.25)
      cuts.append((cut, length * 0.2...length * 0.3))
      for (child, isFirst) in [(first, true), (second, false)] {
        if horizontal {
          constraints += [
            child.topAnchor.constraint(equalTo: view.topAnchor),
            child.bottomAnchor.constraint(equalTo: view.bottomAnchor),
            isFirst
              ? child.leadingAnchor.constraint(equalTo: view.leadingAnchor)
              : child.trailingAnchor.constraint(equalTo: view.trailingAnchor),
          ]
        } else {
          constraints += [
            child.leadingAnchor.constraint(equalTo: view.leadingAnchor),
            child.trailingAnchor.constraint(equalTo: view.trailingAnchor),
            isFirst
              ? child.topAnchor.constraint(equalTo: view.topAnchor)
              : child.bottomAnchor.constraint(equalTo: view.bottomAnchor),
          ]
        }
      }
      constraints.append(cut)
      constraints.append(
        horizontal
          ? first.trailingAnchor.constraint(equalTo: second.leadingAnchor)
          : first.bottomAnchor.constraint(equalTo: second.topAnchor))
      split(first, horizontal ? width / 2 : width, horizontal ? height : height / 2, depth - 1, &generator)
      split(second, horizontal ? width / 2 : width, horizontal ? height : height / 2, depth - 1, &generator)
    }

    /// The first cell that is not covered exactly once.
    func fault() -> String? {
      let (columns, rows) = (Int(window.size.width), Int(window.size.height))
      var covered = Array(repeating: 0, count: columns * rows)
      for leaf in leaves {
        let cells = leaf.cellFrame
        guard cells.x0 >= 0, cells.y0 >= 0, cells.x1 <= columns, cells.y1 <= rows else {
          return "\(cells) sticks out"
        }
        for y in cells.y0..<cells.y1 {
          for x in cells.x0..<cells.x1 { covered[y * columns + x] += 1 }
        }
      }
      return covered.firstIndex { $0 != 1 }.map {
        "cell \($0 % columns),\($0 / columns) is covered \(covered[$0]) times"
      }
    }
  }

  private func randomCurve(using generator: inout SeededGenerator) -> TimingCurve {
    switch Int.random(in: 0...4, using: &generator) {
    case 0: .linear
    case 1: .easeInOut
    case 2:
      .cubicBezier(
        x1: Double.random(in: 0...1, using: &generator), y1: Double.random(in: -0.1...1.1, using: &generator),
        x2: Double.random(in: 0...1, using: &generator), y2: Double.random(in: -0.1...1.1, using: &generator))
    case 3:
      .spring(
        SpringTiming(
          dampingRatio: Double.random(in: 0.6...2, using: &generator), duration: .milliseconds(300)))
    default: .steps(5)
    }
  }

  @Test("every cell belongs to one leaf on every frame of three overlapping animations")
  func tiling() throws {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<60 {
      let tree = try Tree(
        columns: Int.random(in: 60...160, using: &generator),
        rows: Int.random(in: 30...60, using: &generator),
        depth: Int.random(in: 1...3, using: &generator), using: &generator)
      for frame in 0..<45 {
        if frame % 6 == 0, frame < 18 {
          let curve = randomCurve(using: &generator)
          let resolves: AnimationOptions = round % 5 == 4 ? .resolveEachFrame : []
          tree.window.animate(withDuration: .milliseconds(300), curve: curve, options: resolves) {
            for index in tree.cuts.indices {
              let range = tree.cuts[index].range
              tree.cuts[index].constraint.constant = Double.random(in: range, using: &generator)
            }
            tree.window.layoutNow()
          }
        }
        tree.window.advance(to: .frame(Int64(frame)))
        if let fault = tree.fault() {
          Issue.record("round \(round), frame \(frame): \(fault)")
          return
        }
      }
      #expect(!tree.window.isAnimating)
    }
  }

  @Test("halves of cells: an edge computed in two ways rounds in one")
  func rounding() {
    #expect(Rect(x: -0.5, y: 0, width: 1, height: 1).cells == CellRect(x0: 0, y0: 0, x1: 1, y1: 1))
    #expect(
      Rect(x: 0.49999999999, y: 0.5000000001, width: 1, height: 1).cells
        == CellRect(x0: 1, y0: 1, x1: 2, y1: 2))
    for place in stride(from: -3.0, through: 3, by: 0.125) {
      #expect(Rect(x: place, y: 0, width: 10, height: 1).cells.width == 10)
    }
    #expect(Rect(x: 1e300, y: -1e300, width: 5, height: 5).cells.isEmpty)
  }

  @Test("sizes are never negative")
  func negativeSizes() throws {
    let window = Window(size: Size(width: 20, height: 5))
    let view = View()
    window.root.addSubview(view)
    try LayoutConstraint.activate(view.pinned(to: window.root, inset: 4))
    window.layoutNow()
    #expect(view.windowFrame == Rect(x: 4, y: 4, width: 12, height: 0))
    #expect(view.cellFrame.height == 0)
    #expect(view.bounds.height == 0)
  }
}
