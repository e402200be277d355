import ConstraintAnimation

/// What surrounds a screen: title, what to look at, status, the screen's controls, the gallery's own.
struct Chrome {
  let title: Label
  let place: Label
  let look: Label
  let status: Label
  let cost: Label
  /// Where the stage goes. A guide: it draws nothing and cannot be hit.
  let area = LayoutGuide(identifier: "area")
  let controls = StackGroup(axis: .horizontal, margin: 0)
  let footer = StackGroup(axis: .horizontal, margin: 0)

  private static let gap = 3.0
  private static let costLength = 22.0

  init(in root: View, palette: Palette, global: [Control]) throws {
    title = Label(style: CellStyle(foreground: palette.accent, attributes: .bold))
    place = Label(style: CellStyle(foreground: palette.faint))
    look = Label(style: CellStyle(foreground: palette.secondary))
    status = Label(style: CellStyle(foreground: palette.text))
    cost = Label(style: CellStyle(foreground: palette.faint))
    place.alignment = .trailing
    cost.alignment = .trailing
    cost.explicitSize = Chrome.costLength
    root.addLayoutGuide(area)
    for view in [title, place, look, status, controls, footer] { root.addSubview(view) }

    var constraints = [
      area.topAnchor.constraint(equalTo: look.bottomAnchor, constant: 1),
      area.bottomAnchor.constraint(equalTo: status.topAnchor, constant: -1),
      area.leadingAnchor.constraint(equalTo: root.leadingAnchor, constant: 1),
      area.trailingAnchor.constraint(equalTo: root.trailingAnchor, constant: -1),
      title.topAnchor.constraint(equalTo: root.topAnchor),
      place.topAnchor.constraint(equalTo: root.topAnchor),
      look.topAnchor.constraint(equalTo: title.bottomAnchor),
      footer.bottomAnchor.constraint(equalTo: root.bottomAnchor),
      controls.bottomAnchor.constraint(equalTo: footer.topAnchor),
      status.bottomAnchor.constraint(equalTo: controls.topAnchor),
    ]
    for view in [title, place, look, status, controls, footer] {
      constraints += [
        view.leadingAnchor.constraint(equalTo: area.leadingAnchor),
        view.trailingAnchor.constraint(equalTo: area.trailingAnchor),
        view.heightAnchor.constraint(equalToConstant: 1),
      ]
    }
    try LayoutConstraint.activate(constraints)
    footer.children = Chrome.buttons(global, palette) + [Spacer(), cost]
  }

  func show(_ card: Card, index: Int, controls offered: [Control], palette: Palette) {
    title.text = card.title
    look.text = card.look
    place.text = "\(card.sources.joined(separator: " "))   \(index + 1) of \(Catalogue.screens.count)"
    controls.children = Chrome.buttons(offered, palette)
  }

  private static func buttons(_ controls: [Control], _ palette: Palette) -> [View] {
    controls.map { control in
      let button = Button(control, palette)
      button.explicitSize = Double(button.length) + gap
      return button
    }
  }
}
