import ConstraintAnimation

/// Two buttons with more constraints than can hold. Their priorities choose, and one of them is flipped.
final class Priorities: Screen {
  static let card = Card(
    name: "priorities", title: "Priorities",
    look: "One priority goes from 250 to 750, and the back button has room.",
    sources: ["S3"])

  let back: Tile
  let next: Tile
  let equalWidths: LayoutConstraint
  private let spacing: LayoutConstraint
  private let wishes: [LayoutConstraint]
  private let list: Label
  private let window: Window
  private let theme = MotionTheme()
  private(set) var isBackShown = false

  init(on stage: Stage) throws {
    let palette = stage.palette
    window = stage.window
    back = Tile("back", palette.green, palette)
    next = Tile("next", palette.blue, palette)
    list = Label(style: CellStyle(foreground: palette.secondary))
    let view = stage.view
    view.identifier = "stage"
    for subview in [back, next, list] { view.addSubview(subview) }

    equalWidths = next.widthAnchor.constraint(equalTo: back.widthAnchor).with(priority: 250)
    spacing = next.leadingAnchor.constraint(equalTo: back.trailingAnchor).with(priority: 750)
    wishes = [
      equalWidths, spacing,
      next.leadingAnchor.constraint(equalTo: view.leadingAnchor).with(priority: 750),
      back.widthAnchor.constraint(equalToConstant: 0).with(priority: 500),
    ]
    try LayoutConstraint.activate(
      wishes + [
        back.leadingAnchor.constraint(equalTo: view.leadingAnchor),
        next.trailingAnchor.constraint(equalTo: view.trailingAnchor),
        back.topAnchor.constraint(equalTo: view.topAnchor, constant: 1),
        next.topAnchor.constraint(equalTo: back.topAnchor),
        back.heightAnchor.constraint(equalToConstant: 5),
        next.heightAnchor.constraint(equalToConstant: 5),
        list.topAnchor.constraint(equalTo: back.bottomAnchor, constant: 2),
        list.leadingAnchor.constraint(equalTo: view.leadingAnchor),
        list.trailingAnchor.constraint(equalTo: view.trailingAnchor),
        list.heightAnchor.constraint(equalToConstant: 6),
      ])
    refresh()
  }

  /// Flush what is pending, change, lay out inside the animation.
  private func show(_ isShown: Bool) {
    isBackShown = isShown
    window.layoutIfNeeded()
    equalWidths.priority = isShown ? 750 : 250
    spacing.constant = isShown ? window.metrics.columns(8) : 0
    window.animate(withDuration: .milliseconds(250), curve: .spring(theme.spring)) {
      window.layoutIfNeeded()
    }
  }

  /// What one should not do: the layout does not know, and an empty place stays.
  private func hideByTransform() {
    window.animate(withDuration: .milliseconds(250)) {
      back.transform = back.transform.isIdentity ? .translation(x: -100, y: 0) : .identity
    }
  }

  func refresh() {
    list.text =
      "wishes, of which the higher priority wins:\n" + wishes.map { "  \($0)" }.joined(separator: "\n")
  }

  var controls: [Control] {
    [
      Control(.character(" "), "flip the priority") { [weak self] in
        guard let self else { return }
        show(!isBackShown)
      },
      Control(.character("t"), "hide by a transform instead") { [weak self] in self?.hideByTransform() },
    ]
  }

  var status: String {
    "back \(back.cellFrame.width) columns, gap \(next.cellFrame.x0 - back.cellFrame.x1), next \(next.cellFrame.width)"
      + (back.transform.isIdentity ? "" : " · the transform leaves a blank place")
  }
}
