import ConstraintAnimation

/// Multipliers instead of constants: what is half stays half, whatever the size.
final class Proportions: Screen {
  static let card = Card(
    name: "proportions", title: "Proportional layout",
    look: "Drag the right edge or resize the terminal: ratios hold, and limits.",
    sources: ["S5"])

  let container = View(identifier: "container")
  let half: Tile
  let quarter: Tile
  let square: Tile
  private let trailing: LayoutConstraint
  private let window: Window

  init(on stage: Stage) throws {
    let (view, palette) = (stage.view, stage.palette)
    window = stage.window
    half = Tile("half", palette.blue, palette)
    quarter = Tile("quarter", palette.teal, palette)
    square = Tile("square", palette.amber, palette)
    let rest = Tile("rest", palette.faint, palette)
    let handle = Label(style: CellStyle(foreground: palette.accent, attributes: .bold))
    handle.isUserInteractionEnabled = true
    handle.text = String(repeating: "┃\n", count: 200)

    view.addSubview(container)
    view.addSubview(handle)
    for tile in [rest, half, quarter, square] { container.addSubview(tile) }
    trailing = container.trailingAnchor.constraint(equalTo: view.trailingAnchor, constant: -2)
      .with(priority: 750)
    let sides = [
      container.leadingAnchor.constraint(equalTo: view.leadingAnchor),
      container.topAnchor.constraint(equalTo: view.topAnchor),
      container.bottomAnchor.constraint(equalTo: view.bottomAnchor),
      trailing,
      // A limit that outranks the wish above.
      container.widthAnchor.constraint(greaterThanOrEqualToConstant: 24).with(priority: 900),
      handle.leadingAnchor.constraint(equalTo: container.trailingAnchor),
      handle.widthAnchor.constraint(equalToConstant: 1),
      handle.topAnchor.constraint(equalTo: view.topAnchor),
      handle.bottomAnchor.constraint(equalTo: view.bottomAnchor),
    ]
    let ratios = [
      half.widthAnchor.constraint(equalTo: container.widthAnchor, multiplier: 0.5),
      half.heightAnchor.constraint(equalTo: container.heightAnchor),
      quarter.widthAnchor.constraint(equalTo: half.widthAnchor, multiplier: 0.5),
      quarter.heightAnchor.constraint(equalTo: container.heightAnchor, multiplier: 0.5),
      // A cell is twice as high as wide. As large as fits.
      square.widthAnchor.constraint(equalTo: square.heightAnchor, multiplier: 2),
      square.widthAnchor.constraint(lessThanOrEqualTo: quarter.widthAnchor),
      square.heightAnchor.constraint(lessThanOrEqualTo: container.heightAnchor, multiplier: 0.5),
      square.heightAnchor.constraint(equalTo: container.heightAnchor, multiplier: 0.5).with(priority: 500),
    ]
    let places = [
      half.leadingAnchor.constraint(equalTo: container.leadingAnchor),
      half.topAnchor.constraint(equalTo: container.topAnchor),
      quarter.leadingAnchor.constraint(equalTo: half.trailingAnchor),
      quarter.topAnchor.constraint(equalTo: container.topAnchor),
      square.leadingAnchor.constraint(equalTo: half.trailingAnchor),
      square.topAnchor.constraint(equalTo: quarter.bottomAnchor),
      rest.leadingAnchor.constraint(equalTo: quarter.trailingAnchor),
      rest.trailingAnchor.constraint(equalTo: container.trailingAnchor),
      rest.topAnchor.constraint(equalTo: container.topAnchor),
      rest.bottomAnchor.constraint(equalTo: container.bottomAnchor),
    ]
    try LayoutConstraint.activate(sides + ratios + places)

    var start = 0.0
    handle.addGestureRecognizer(
      PanGestureRecognizer { [weak self] pan in
        guard let self else { return }
        if pan.state == .began { start = trailing.constant }
        trailing.constant = min(start + pan.translation(in: view).dx, -2)
      })
    stage.window.firstResponder = handle
  }

  private func stretch(by columns: Double) {
    window.animate(withDuration: .milliseconds(300), options: .layoutFirst) {
      trailing.constant = min(max(trailing.constant + columns, -1000), -2)
      window.layoutIfNeeded()
    }
  }

  func refresh() {
    for (tile, ratio) in [(half, "0.5 × width"), (quarter, "0.5 × half"), (square, "width = 2 × height")] {
      tile.caption = "\(ratio)\n\(tile.cellFrame.width) × \(tile.cellFrame.height)"
    }
  }

  var controls: [Control] {
    [
      Control(.left, "narrower") { [weak self] in self?.stretch(by: -10) },
      Control(.right, "wider") { [weak self] in self?.stretch(by: 10) },
      Control(hint: "drag", "the edge"),
    ]
  }

  var status: String {
    "\(container.cellFrame.width) × \(container.cellFrame.height), not narrower than 24"
  }
}
