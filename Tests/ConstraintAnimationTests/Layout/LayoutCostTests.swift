import ConstraintAnimationTestKit
import Measurement
import Testing

@testable import ConstraintAnimation

/// Cost follows what changes. Work is counted, not timed: with ten times the views and one of them changing it is the
/// same, with all changing at most twenty times as much.
@Suite struct LayoutCostTests {
  /// A page of views, each held by four constraints.
  struct Scene {
    let window = Window(size: Size(width: 200, height: 60))
    let page = View(identifier: "page")
    let slide: LayoutConstraint
    private(set) var views: [View] = []
    private(set) var leading: [LayoutConstraint] = []
    private(set) var constraints: [LayoutConstraint] = []

    init(_ count: Int) throws {
      window.root.addSubview(page)
      let edges = page.pinned(to: window.root)
      slide = edges[0]
      try LayoutConstraint.activate(edges)
      for index in 0..<count {
        let view = View()
        page.addSubview(view)
        views.append(view)
        let left = view.leadingAnchor.constraint(equalTo: page.leadingAnchor, constant: Double(index % 100))
        leading.append(left)
        constraints += [
          left, view.topAnchor.constraint(equalTo: page.topAnchor, constant: Double(index % 40)),
          view.widthAnchor.constraint(equalToConstant: 3), view.heightAnchor.constraint(equalToConstant: 1),
        ]
      }
      try LayoutConstraint.activate(constraints)
      window.advance(to: .zero)
    }

    /// Everything a layout looks at: items read, views laid out, and symbols the solver touched, pivots included.
    func cost(_ body: () -> Void) -> Int {
      let before = window.work
      let pivots = window.engine.solver.tableau.verification.totalPivots
      let writes = listWrites
      let batch = window.engine.solver.tableau.batch
      body()
      let work = window.work
      let touched =
        window.engine.solver.tableau.batch == batch ? 0 : window.engine.solver.tableau.journal.values.count
      return work.itemsRead - before.itemsRead + work.viewsLaidOut - before.viewsLaidOut
        + work.tracksVisited - before.tracksVisited + touched
        + window.engine.solver.tableau.verification.totalPivots - pivots + listWrites - writes
    }

    private var listWrites: Int {
      ([window.root, page] + views).reduce(0) {
        $0 + $1.attachedConstraints.writes + $1.heldConstraints.writes
      }
    }
  }

  private func costs(_ measure: (Scene) -> Int) throws -> (few: Int, many: Int) {
    (measure(try Scene(200)), measure(try Scene(2000)))
  }

  @Test("one constant of many views: the same work however many there are")
  func oneConstant() throws {
    let (few, many) = try costs { scene in
      scene.cost {
        scene.leading[7].constant = 50
        scene.window.layoutNow()
      }
    }
    #expect(many == few && many <= 20, "\(few) and \(many)")
  }

  @Test("one view that asks for layout: only it is laid out")
  func oneView() throws {
    let (few, many) = try costs { scene in
      scene.cost {
        scene.views[3].setNeedsLayout()
        scene.window.layoutNow()
      }
    }
    #expect(many == few && many <= 20, "\(few) and \(many)")
  }

  @Test("one view of many animated and taken over: the same work on each frame")
  func oneAnimation() throws {
    let (few, many) = try costs { scene in
      for (index, view) in scene.views.enumerated() where index != 7 {
        scene.window.animate(withDuration: .seconds(10)) { view.alpha = 0.5 }
      }
      return scene.cost {
        for step in 0..<5 {
          scene.window.animate(withDuration: .seconds(1), options: .beginFromCurrentState) {
            scene.leading[7].constant = Double(10 * step)
            scene.window.layoutNow()
          }
        }
      }
    }
    #expect(many == few && many <= 200, "\(few) and \(many)")
  }

  @Test("all constants")
  func allConstants() throws {
    let (few, many) = try costs { scene in
      scene.cost {
        for constraint in scene.leading { constraint.constant += 1 }
        scene.window.layoutNow()
      }
    }
    #expect(many <= 20 * few, "\(few) and \(many)")
    #expect(many >= 2000)
  }

  @Test("taking over a slide of all")
  func takeover() throws {
    let (few, many) = try costs { scene in
      scene.window.animate(withDuration: .seconds(1)) {
        scene.slide.constant = 100
        scene.window.layoutNow()
      }
      scene.window.advance(to: .milliseconds(400))
      return scene.cost {
        scene.window.animate(withDuration: .seconds(1), options: .beginFromCurrentState) {
          scene.slide.constant = 0
          scene.window.layoutNow()
        }
      }
    }
    #expect(many <= 20 * few, "\(few) and \(many)")
    #expect(many >= 2000)
  }

  @Test("removing a page in mid-slide")
  func removal() throws {
    let (few, many) = try costs { scene in
      scene.window.animate(withDuration: .seconds(1)) {
        scene.slide.constant = 100
        scene.window.layoutNow()
      }
      scene.window.advance(to: .milliseconds(400))
      let cost = scene.cost {
        scene.page.removeFromSuperview()
        scene.window.layoutNow()
      }
      #expect(!scene.window.isAnimating && scene.window.engine.solver.constraintCount == 4)
      return cost
    }
    #expect(many <= 20 * few, "\(few) and \(many)")
    #expect(many >= 2000)
  }

  @Test("deactivating two constraints of each view, at once and one by one")
  func deactivation() throws {
    for atOnce in [true, false] {
      let (few, many) = try costs { scene in
        let half = stride(from: 0, to: scene.constraints.count, by: 2).map { scene.constraints[$0] }
        return scene.cost {
          if atOnce {
            LayoutConstraint.deactivate(half)
          } else {
            for constraint in half { constraint.isActive = false }
          }
          scene.window.layoutNow()
        }
      }
      #expect(many <= 20 * few, "\(few) and \(many)")
      #expect(many >= 4000)
    }
  }

  @Test("a refused batch takes back what it added without a search for each")
  func refusal() throws {
    let (few, many) = try costs { scene in
      let contradiction = scene.constraints.map { constraint in
        constraint.firstItem?.leadingAnchor.constraint(equalTo: scene.page.leadingAnchor, constant: 500)
      }
      return scene.cost {
        #expect(throws: LayoutError.self) { try LayoutConstraint.activate(contradiction.compactMap { $0 }) }
      }
    }
    #expect(many <= 20 * few, "\(few) and \(many)")
  }

  @Test("completions of as many animations as views come in order and leave nothing")
  func completions() throws {
    let scene = try Scene(300)
    var ends: [Int] = []
    for (index, view) in scene.views.enumerated() {
      let duration = Duration.milliseconds(100 + (index * 37) % 50)
      scene.window.animate(withDuration: duration) {
        view.alpha = 0
      } completion: { finished in
        #expect(finished)
        ends.append(100 + (index * 37) % 50)
      }
    }
    for index in stride(from: 0, to: 300, by: 3) {
      scene.window.cancelAnimations(of: scene.views[index], finishing: true)
    }
    #expect(ends.count == 100)
    ends = []
    scene.window.advance(to: .seconds(1))
    #expect(ends.count == 200 && ends == ends.sorted())
    #expect(!scene.window.isAnimating)
  }

  @Test("a list keeps its order while constraints come and go")
  func listOrder() {
    var generator = SeededGenerator(seed: 5)
    var list = ConstraintList()
    var expected: [LayoutConstraint] = []
    let view = View()
    for _ in 0..<2000 {
      if expected.isEmpty || Int.random(in: 0..<5, using: &generator) < 3 {
        let constraint = view.widthAnchor.constraint(equalToConstant: 1)
        list.append(constraint, as: .held)
        expected.append(constraint)
      } else {
        let index = Int.random(in: 0..<expected.count, using: &generator)
        let (first, second) = (
          list.remove(expected[index], as: .held), list.remove(expected[index], as: .held)
        )
        #expect(first && !second)
        expected.remove(at: index)
      }
      #expect(list.count == expected.count)
    }
    let isSame = list.elementsEqual(expected) { $0 === $1 }
    #expect(isSame)
  }
}
