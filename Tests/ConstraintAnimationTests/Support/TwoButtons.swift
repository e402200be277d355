import ConstraintAnimation
import ConstraintAnimationTestKit

/// A back button (green) and a next button (blue) in a row, over-constrained so that priorities choose whether the
/// back button shows.
struct TwoButtons {
  let window: Window
  let green = GlyphView("green", glyph: "b")
  let blue = GlyphView("blue", glyph: "n")
  let equalWidth: LayoutConstraint
  let spacing: LayoutConstraint
  let alignment: LayoutConstraint
  let all: [LayoutConstraint]

  /// - Parameter order: shuffles the order in which the constraints are activated.
  init(columns: Double, order: ((inout [LayoutConstraint]) -> Void)? = nil) throws {
    window = Window(size: Size(width: columns, height: 1))
    let root = window.root
    root.addSubview(green)
    root.addSubview(blue)
    equalWidth = blue.widthAnchor.constraint(equalTo: green.widthAnchor).with(priority: 250)
    spacing = blue.leadingAnchor.constraint(equalTo: green.trailingAnchor).with(priority: 750)
    alignment = blue.leadingAnchor.constraint(equalTo: root.leadingAnchor).with(priority: 750)
    var constraints = [
      equalWidth, spacing, alignment,
      green.widthAnchor.constraint(equalToConstant: 0).with(priority: 500),
      green.leadingAnchor.constraint(equalTo: root.leadingAnchor),
      blue.trailingAnchor.constraint(equalTo: root.trailingAnchor),
    ]
    for button in [green, blue] {
      constraints += [
        button.topAnchor.constraint(equalTo: root.topAnchor),
        button.bottomAnchor.constraint(equalTo: root.bottomAnchor),
      ]
    }
    order?(&constraints)
    all = constraints
    try LayoutConstraint.activate(constraints)
    window.advance(to: .zero)
  }

  func showBack(_ shown: Bool) {
    equalWidth.priority = shown ? 750 : 250
    spacing.constant = shown ? window.metrics.columns(8) : 0
  }

  func draw() -> TextCanvas {
    let canvas = TextCanvas(columns: Int(window.size.width), rows: 1)
    window.draw(on: canvas)
    return canvas
  }
}

extension Window {
  func layoutNow() { root.layoutIfNeeded() }
}
