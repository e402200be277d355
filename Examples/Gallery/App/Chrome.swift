import ConstraintAnimation

/// What surrounds a screen: title, what to look at, status, the screen's controls, the gallery's own.
struct Chrome {
  let title: Label
  let place: Label
  let look: Label
  let status: Label
  let cost: Label
  let controls = StackGroup(axis: .horizontal, margin: 0)
  let footer = StackGroup(axis: .horizontal, margin: 0)

  private static let gap = 3.0
  private static let costLength = 22.0

  init(in root: View, palette: CommandPalette, global: [Control]) throws {
    title = Label(style: CellStyle(foreground: palette.accent, attributes: .bold))
    place = Label(style: CellStyle(foreground: palette.faint))
    look = Label(style: CellStyle(foreground: palette.secondary))
    status = Label(style: CellStyle(foreground: palette.text))
    cost = Label(style: CellStyle(foreground: palette.faint))
    place.alignment = .trailing
    cost.alignment = .trailing
    cost.explicitSize = Chrome.costLength
    for view in [title, place, look, status, controls, footer] { root.addSubview(view) }

    var constraints = [
      title.topAnchor.constraint(equalTo: root.topAnchor),
      place.topAnchor.constraint(equalTo: root.topAnchor),
      look.topAnchor.constraint(equalTo: title.bottomAnchor),
      footer.bottomAnchor.constraint(equalTo: root.bottomAnchor),
      controls.bottomAnchor.constraint(equalTo: footer.topAnchor),
      status.bottomAnchor.constraint(equalTo: controls.topAnchor),
    ]
    for view in [title, place, look, status, controls, footer] {
      constraints += [
        view.leadingAnchor.constraint(equalTo: root.leadingAnchor, constant: 1),
        view.trailingAnchor.constraint(equalTo: root.trailingAnchor, constant: -1),
        view.heightAnchor.constraint(equalToConstant: 1),
      ]
    }
    try LayoutConstraint.activate(constraints)
    footer.children = Chrome.buttons(global, palette) + [Spacer(), cost]
  }

  /// Where the stage goes: between what to look at and the status, with a blank row each. In a terminal that is too
  /// small it has nothing, not less than nothing.
  static func area(in bounds: Rect) -> Rect {
    Rect(x: 1, y: 3, width: max(0, bounds.width - 2), height: max(0, bounds.height - 7))
  }

  func show(_ card: Card, index: Int, controls offered: [Control], palette: CommandPalette) {
    title.text = card.title
    look.text = card.look
    place.text = "\(card.sources.joined(separator: " "))   \(index + 1) of \(Catalog.screens.count)"
    controls.children = Chrome.buttons(offered, palette)
  }

  private static func buttons(_ controls: [Control], _ palette: CommandPalette) -> [View] {
    controls.map { control in
      let button = Button(control, palette)
      button.explicitSize = Double(button.length) + gap
      return button
    }
  }
}
