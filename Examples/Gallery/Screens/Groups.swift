import ConstraintAnimation

/// Rows that take in and let go of boxes: room is made, then the box appears; it vanishes, then the gap closes.
final class Groups: Screen {
  static let card = Card(
    name: "groups", title: "Groups",
    look: "Press a key several times quickly: requests wait their turn, none is lost.",
    sources: ["S4"])

  let rows: [StackGroup]
  private let palette: CommandPalette
  private let toolbar: Tile
  private var madeBoxes = 0

  init(on stage: Stage) throws {
    palette = stage.palette
    rows = [StackGroup(axis: .horizontal), StackGroup(axis: .horizontal)]
    toolbar = Tile("toolbar", stage.palette.faint, stage.palette)
    // 40 points high, so three rows.
    toolbar.explicitSize = 3

    // Groups nest: a group is a view like any other.
    let main = StackGroup(axis: .vertical, margin: 0)
    let rowsGroup = StackGroup(axis: .vertical, margin: 0)
    rowsGroup.children = rows
    main.children = [rowsGroup, toolbar]
    stage.view.addSubview(main)
    try LayoutConstraint.activate(main.pinned(to: stage.view))

    for row in rows {
      row.children = [
        makeButton("add") { [weak self, weak row] in row.map { self?.add(to: $0) } },
        makeButton("remove") { [weak row] in row?.removeChild(at: 2) },
        makeBox(), makeBox(),
      ]
    }
  }

  private func add(to row: StackGroup) { row.addChild(makeBox(), at: 2) }

  private func makeBox() -> Tile {
    let hue = palette.hues[madeBoxes % palette.hues.count]
    madeBoxes += 1
    return Tile("\(madeBoxes)", hue, palette)
  }

  private func makeButton(_ title: String, _ action: @escaping () -> Void) -> Tile {
    let button = Tile(title, palette.secondary, palette)
    button.explicitSize = 12
    button.addGestureRecognizer(TapGestureRecognizer { _ in action() })
    return button
  }

  func refresh() {
    let texts = rows.map { row in
      row.isAnimationRunning ? "running, \(row.pendingAnimationCount) waiting" : "at rest"
    }
    toolbar.caption = "upper row \(texts[0])   ·   lower row \(texts[1])"
  }

  var controls: [Control] {
    [
      Control(.character("a"), "add above") { [weak self] in self.map { $0.add(to: $0.rows[0]) } },
      Control(.character("d"), "remove") { [weak self] in self?.rows[0].removeChild(at: 2) },
      Control(.character("A"), "add below") { [weak self] in self.map { $0.add(to: $0.rows[1]) } },
      Control(.character("D"), "remove") { [weak self] in self?.rows[1].removeChild(at: 2) },
      Control(.character("x"), "out of range") { [weak self] in self?.rows[0].removeChild(at: 99) },
    ]
  }

  var status: String {
    rows.map { row in "\(row.children.count - 2) boxes" }.joined(separator: " above, ") + " below"
  }
}
