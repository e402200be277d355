import ConstraintAnimation

/// A button waits far below its place, moved there by a transform, and springs in.
final class SpringButton: Screen {
  static let card = Card(
    name: "spring", title: "Spring button",
    look: "A transform moves what is drawn; the corners show where the layout is.",
    sources: ["S3"])

  let button: Tile
  private let window: Window
  private(set) var dampingRatio = 0.75
  private(set) var clicks = 0

  init(on stage: Stage) throws {
    let palette = stage.palette
    window = stage.window
    button = Tile("next", palette.green, palette)
    button.caption = "enter"
    let outline = Outline(style: CellStyle(foreground: palette.faint))

    stage.view.addSubview(outline)
    stage.view.addSubview(button)
    try LayoutConstraint.activate(
      button.pinnedCentered(on: stage.view, size: Size(width: 16, height: 3)).all
        + outline.pinned(to: button, inset: -1))

    // 500 points lower; one row is 16 points.
    button.transform = away
    button.isEnabled = false
    let tap = TapGestureRecognizer { [weak self] _ in self?.clicks += 1 }
    tap.keyEquivalents = [.enter]
    button.addGestureRecognizer(tap)
  }

  private var away: Transform { .translation(x: 0, y: window.metrics.rows(500)) }

  var isShown: Bool { button.transform.isIdentity }

  private func toggle() {
    button.isEnabled = false
    window.animate(
      withDuration: .milliseconds(250), usingSpringWithDamping: dampingRatio, initialSpringVelocity: 0.7,
      options: .beginFromCurrentState
    ) {
      button.transform = isShown ? away : .identity
    } completion: { [weak self] finished in
      guard let self, finished else { return }
      button.isEnabled = isShown
    }
  }

  var controls: [Control] {
    [
      Control(.character(" "), "show or hide") { [weak self] in self?.toggle() },
      Control(hint: "enter", "click it"),
      Control(.character("1"), "damping 0.25") { [weak self] in self?.dampingRatio = 0.25 },
      Control(.character("2"), "0.5") { [weak self] in self?.dampingRatio = 0.5 },
      Control(.character("3"), "0.75") { [weak self] in self?.dampingRatio = 0.75 },
      Control(.character("4"), "1") { [weak self] in self?.dampingRatio = 1 },
    ]
  }

  var status: String {
    let layout = button.windowFrame
    let state = button.isEnabled ? "enabled" : "disabled"
    return "laid out in row \(Int(layout.minY)), drawn in \(button.cellFrame.y0) · damping \(dampingRatio)"
      + " · \(state) · \(clicks) clicks"
  }
}
