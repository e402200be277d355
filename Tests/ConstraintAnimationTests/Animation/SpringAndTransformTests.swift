import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

/// "Animating with AutoLayout": transforms and springs.
@Suite struct SpringAndTransformTests {
  static let samples: [Double] = [
    0, 0.158707, 0.438183, 0.690183, 0.866028, 0.967262, 1.013952, 1.027900, 1.025869, 1.018349,
    1.010725, 1.005051, 1.001595, 0.999876, 0.999261,
  ]

  @Test("a translation moves drawing, never the layout")
  func translation() throws {
    let window = Window(size: Size(width: 40, height: 20))
    let button = GlyphView("button", glyph: "b")
    let below = View(identifier: "below")
    window.root.addSubview(button)
    window.root.addSubview(below)
    try LayoutConstraint.activate([
      button.leadingAnchor.constraint(equalTo: window.root.leadingAnchor, constant: 2),
      button.topAnchor.constraint(equalTo: window.root.topAnchor, constant: 3),
      button.widthAnchor.constraint(equalToConstant: 10),
      button.heightAnchor.constraint(equalToConstant: 2),
      below.topAnchor.constraint(equalTo: button.bottomAnchor),
      below.leadingAnchor.constraint(equalTo: button.leadingAnchor),
      below.widthAnchor.constraint(equalTo: button.widthAnchor),
      below.heightAnchor.constraint(equalToConstant: 1),
    ])
    window.advance(to: .zero)
    let frames = [button.windowFrame, below.windowFrame]
    button.transform = .translation(x: 0, y: window.metrics.rows(500))
    #expect(window.advance(to: .zero).needsDisplay)
    #expect([button.windowFrame, below.windowFrame] == frames)
    #expect(button.cellFrame.y0 == 3 + 31)
    let canvas = TextCanvas(columns: 40, rows: 20)
    window.draw(on: canvas)
    #expect(!canvas.text.contains("b"))
    #expect(window.hitTest(Point(x: 4, y: 4)) === window.root)
  }

  @Test("a spring brings the button in; it ignores clicks until it is there")
  func springIn() throws {
    let window = Window(size: Size(width: 40, height: 20))
    let button = View(identifier: "button")
    button.frame = Rect(x: 0, y: 0, width: 10, height: 3)
    button.transform = .translation(x: 0, y: 31.25)
    button.isEnabled = false
    window.root.addSubview(button)
    var taps = 0
    button.addGestureRecognizer(TapGestureRecognizer { _ in taps += 1 })
    window.advance(to: .zero)
    window.animate(
      withDuration: .milliseconds(250), usingSpringWithDamping: 0.75, initialSpringVelocity: 0.7
    ) {
      button.transform = .identity
    } completion: { finished in
      button.isEnabled = finished
    }
    for (frame, sample) in Self.samples.enumerated() {
      window.advance(to: .frame(Int64(frame)))
      #expect(abs(button.presentationTransform.ty - 31.25 * (1 - sample)) < 31.25e-6)
      Pointer(window, x: 2, y: 1 + Double(button.cellFrame.y0)).click()
      #expect(taps == 0)
    }
    window.advance(to: .frame(15))
    #expect(button.presentationTransform == .identity)
    Pointer(window, x: 2, y: 1).click()
    #expect(taps == 1)
  }

  @Test("hiding by transform leaves a hole, hiding by constraints does not")
  func hole() throws {
    let byTransform = try TwoButtons(columns: 40)
    byTransform.showBack(true)
    byTransform.window.layoutNow()
    byTransform.green.transform = .translation(x: 0, y: 100)
    let canvas = byTransform.draw()
    #expect(canvas.rows()[0] == String(repeating: " ", count: 21) + String(repeating: "n", count: 19))
    let byConstraints = try TwoButtons(columns: 40)
    byConstraints.showBack(false)
    byConstraints.window.layoutNow()
    #expect(byConstraints.draw().rows()[0] == String(repeating: "n", count: 40))
  }

  @Test("a theme sets the numbers of every transition")
  func theme() throws {
    var theme = MotionTheme()
    theme.panels.duration = .milliseconds(500)
    theme.growDuration = .milliseconds(300)
    let scene = try PanelScene(style: theme.panels)
    try scene.manager.slideHorizontally(activate: .log)
    scene.window.advance(to: .milliseconds(499))
    #expect(scene.manager.isSliding)
    scene.window.advance(to: .milliseconds(500))
    #expect(!scene.manager.isSliding)
    #expect(StackGroup(axis: .horizontal, theme: theme).growDuration == .milliseconds(300))
  }

  @Test("a spring towards no width draws nothing inside out")
  func overshoot() throws {
    let buttons = try TwoButtons(columns: 120)
    buttons.showBack(true)
    buttons.window.layoutNow()
    buttons.window.animate(
      withDuration: .milliseconds(250), usingSpringWithDamping: 0.5, initialSpringVelocity: 0
    ) {
      buttons.showBack(false)
      buttons.window.layoutNow()
    }
    var overshot = false
    for frame in 1...15 {
      buttons.window.advance(to: .frame(Int64(frame)))
      #expect(buttons.green.presentationFrame.width >= 0)
      #expect(buttons.green.cellFrame.width >= 0)
      let green = buttons.green.cellFrame
      if green.width > 0 { #expect(buttons.blue.cellFrame.x0 >= green.x1) }
      overshot = overshot || buttons.blue.cellFrame.x0 < 0
      _ = buttons.draw()
    }
    #expect(overshot)
  }

  @Test("rotations interpolate by angle, not by matrix")
  func rotationKeepsSize() throws {
    let window = Window(size: Size(width: 40, height: 20))
    let view = View()
    view.frame = Rect(x: 10, y: 5, width: 16, height: 8)
    window.root.addSubview(view)
    window.advance(to: .zero)
    window.animate(withDuration: .seconds(1), curve: .linear) { view.transform = .rotation(.pi / 2) }
    window.advance(to: .milliseconds(500))
    let half = view.presentationTransform
    let expected = Transform.rotation(.pi / 4)
    for (found, wanted) in [
      (half.a, expected.a), (half.b, expected.b), (half.c, expected.c), (half.d, expected.d),
    ] {
      #expect(abs(found - wanted) < 1e-12)
    }
  }
}
