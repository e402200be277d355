import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

/// "Fear and Loathing in Auto Layout": when changes are animated and when not.
@Suite struct SandwichTests {
  /// A box held by its leading and top constants, and another one to the right of nothing.
  struct Scene {
    let window = Window(size: Size(width: 100, height: 30))
    let box = View(identifier: "box")
    let other = View(identifier: "other")
    let leading: LayoutConstraint
    let top: LayoutConstraint
    let otherLeading: LayoutConstraint

    init() throws {
      let root = window.root
      root.addSubview(box)
      root.addSubview(other)
      leading = box.leadingAnchor.constraint(equalTo: root.leadingAnchor)
      top = box.topAnchor.constraint(equalTo: root.topAnchor)
      otherLeading = other.leadingAnchor.constraint(equalTo: root.leadingAnchor)
      var all = [leading, top, otherLeading, other.topAnchor.constraint(equalTo: root.topAnchor)]
      for view in [box, other] {
        all += [
          view.widthAnchor.constraint(equalToConstant: 4), view.heightAnchor.constraint(equalToConstant: 2),
        ]
      }
      try LayoutConstraint.activate(all)
      window.advance(to: .zero)
    }

    func trace(_ frames: Int = 31) -> [CellRect] {
      (0...frames).map { frame in
        window.advance(to: .frame(Int64(frame)))
        return box.cellFrame
      }
    }
  }

  @Test("a constant may be set before the block or inside it, with the same frames")
  func beforeOrInside() throws {
    let before = try Scene()
    before.window.layoutNow()
    before.leading.constant = 40
    before.window.animate(withDuration: .milliseconds(500)) { before.window.layoutNow() }
    let inside = try Scene()
    inside.window.layoutNow()
    inside.window.animate(withDuration: .milliseconds(500)) {
      inside.leading.constant = 40
      inside.window.layoutNow()
    }
    let trace = inside.trace()
    #expect(before.trace() == trace)
    #expect(trace.first?.x0 == 0 && trace.last?.x0 == 40)
    #expect(Set(trace.map(\.x0)).count > 20)
  }

  @Test("without the first layoutIfNeeded, what was pending is animated too; layoutFirst flushes it")
  func pending() throws {
    for flushes in [false, true] {
      let scene = try Scene()
      scene.otherLeading.constant = 30
      scene.window.animate(withDuration: .milliseconds(500), options: flushes ? .layoutFirst : []) {
        scene.leading.constant = 40
        scene.window.layoutNow()
      }
      #expect(scene.box.cellFrame.x0 == 0)
      #expect(scene.other.cellFrame.x0 == (flushes ? 30 : 0))
      scene.window.advance(to: .milliseconds(500))
      #expect(scene.other.cellFrame.x0 == 30)
    }
  }

  @Test("a constant changed after the last layoutIfNeeded jumps, and is reported")
  func afterwards() throws {
    let scene = try Scene()
    scene.window.animate(withDuration: .milliseconds(500)) {
      scene.window.layoutNow()
      scene.leading.constant = 40
    }
    #expect(scene.window.diagnostics == [.changeNotLaidOut])
    scene.window.advance(to: .frame(1))
    #expect(scene.box.cellFrame.x0 == 40)
  }

  @Test("taps move the box by turns, also while it moves")
  func taps() throws {
    for wait in [Duration.milliseconds(600), .milliseconds(120)] {
      let scene = try Scene()
      let metrics = scene.window.metrics
      var horizontal = true
      scene.window.root.addGestureRecognizer(
        TapGestureRecognizer { _ in
          if horizontal {
            scene.leading.constant += metrics.columns(25)
          } else {
            scene.top.constant += metrics.rows(25)
          }
          horizontal.toggle()
          scene.window.animate(withDuration: .milliseconds(500)) { scene.window.layoutNow() }
        })
      for _ in 0..<4 {
        Pointer(scene.window, x: 50, y: 20).click()
        scene.window.advance(to: scene.window.time + wait)
      }
      scene.window.advance(to: scene.window.time + .seconds(1))
      #expect(scene.leading.constant == 2 * 3.125)
      #expect(scene.top.constant == 2 * 1.5625)
      #expect(scene.box.cellFrame == CellRect(x0: 6, y0: 3, x1: 10, y1: 5))
    }
  }

  @Test("an animator toggles a constant; easeOut; twice is back at the start")
  func animatorToggles() throws {
    let scene = try Scene()
    let bottom = scene.window.metrics.rows(80)
    let golden = [0, 0.19858, 0.37814, 0.54053, 0.68464, 0.80798, 0.90654, 0.97402, 1]
    for target in [bottom, 0] {
      let start = scene.window.time
      let from = scene.box.presentationFrame.minY
      let animator = PropertyAnimator(window: scene.window, duration: .milliseconds(250), curve: .easeOut) {
        scene.top.constant = target
        scene.window.layoutNow()
      }
      animator.startAnimation()
      for (eighth, value) in golden.enumerated() {
        scene.window.advance(to: start + .microseconds(31_250 * eighth))
        #expect(abs(scene.box.presentationFrame.minY - (from + (target - from) * value)) < 5e-5)
      }
      #expect(animator.state == .inactive)
    }
    #expect(scene.box.windowFrame.minY == 0)
  }

  @Test("a proportional width keeps its ratio through resizes")
  func proportional() throws {
    let window = Window(size: Size(width: 80, height: 24))
    let half = View()
    window.root.addSubview(half)
    try LayoutConstraint.activate([
      half.widthAnchor.constraint(equalTo: window.root.widthAnchor, multiplier: 0.5),
      half.heightAnchor.constraint(equalTo: window.root.heightAnchor, multiplier: 0.25),
      half.leadingAnchor.constraint(equalTo: window.root.leadingAnchor),
      half.topAnchor.constraint(equalTo: window.root.topAnchor),
    ])
    window.layoutNow()
    for (columns, rows) in [(80, 24), (120, 40), (61, 17)] {
      window.resize(to: Size(width: Double(columns), height: Double(rows)))
      #expect(half.windowFrame.width == Double(columns) / 2)
      #expect(half.windowFrame.height == Double(rows) / 4)
    }
  }

  @Test("a multiplier on a place counts from the origin of the view that holds the constraint")
  func multiplierOnPlace() throws {
    let window = Window(size: Size(width: 80, height: 24))
    let panel = View()
    let dot = View()
    window.root.addSubview(panel)
    panel.addSubview(dot)
    panel.frame = Rect(x: 20, y: 4, width: 40, height: 10)
    try LayoutConstraint.activate([
      LayoutConstraint(
        item: dot, attribute: .centerX, relatedBy: .equal, toItem: panel, attribute: .centerX, multiplier: 1.5
      ),
      LayoutConstraint(
        item: dot, attribute: .centerY, relatedBy: .equal, toItem: panel, attribute: .centerY, multiplier: 0.5
      ),
      dot.widthAnchor.constraint(equalToConstant: 2),
      dot.heightAnchor.constraint(equalTo: dot.widthAnchor),
    ])
    window.layoutNow()
    #expect(dot.frame == Rect(x: 29, y: 1.5, width: 2, height: 2))
  }

  @Test("resolveEachFrame lets an inequality take over half way")
  func resolves() throws {
    let window = Window(size: Size(width: 100, height: 10))
    let (pusher, pushed) = (View(identifier: "pusher"), View(identifier: "pushed"))
    window.root.addSubview(pusher)
    window.root.addSubview(pushed)
    let leading = pusher.leadingAnchor.constraint(equalTo: window.root.leadingAnchor)
    var all = [
      leading,
      pushed.leadingAnchor.constraint(greaterThanOrEqualTo: pusher.trailingAnchor),
      pushed.leadingAnchor.constraint(equalTo: window.root.leadingAnchor, constant: 40).with(priority: 500),
    ]
    for view in [pusher, pushed] {
      all += [
        view.widthAnchor.constraint(equalToConstant: 10), view.heightAnchor.constraint(equalToConstant: 1),
        view.topAnchor.constraint(equalTo: window.root.topAnchor),
      ]
    }
    try LayoutConstraint.activate(all)
    window.advance(to: .zero)
    window.animate(withDuration: .seconds(1), curve: .linear, options: .resolveEachFrame) {
      leading.constant = 80
      window.layoutNow()
    }
    for tenth in 0...10 {
      window.advance(to: .milliseconds(Int64(tenth * 100)))
      #expect(pusher.cellFrame.x0 == tenth * 8)
      #expect(pushed.cellFrame.x0 == max(40, tenth * 8 + 10))
    }
    #expect(leading.constant == 80)
    window.advance(to: .seconds(2))
    #expect(window.nextDeadline == nil)
  }
}

extension MotionTime {
  static func seconds(_ count: Int64) -> MotionTime { MotionTime(nanoseconds: count * 1_000_000_000) }
}
