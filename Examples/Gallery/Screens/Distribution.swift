import ConstraintAnimation

/// Boxes of fixed size and spacers that share what is left: five ways to line up three boxes.
final class Distribution: Screen {
  static let card = Card(
    name: "distribution", title: "Align and distribute",
    look: "Spacers share what the boxes leave. The last row goes from order to order.",
    sources: ["S4"])

  enum Order: Int, CaseIterable {
    case left, center, right, distributed, edges

    /// Which of the four places around the boxes may stretch.
    var spacers: [Bool] {
      switch self {
      case .left: [false, false, false, true]
      case .center: [true, false, false, true]
      case .right: [true, false, false, false]
      case .distributed: [true, true, true, true]
      case .edges: [false, true, true, false]
      }
    }
  }

  private(set) var rows: [StackGroup] = []
  private(set) var order = Order.left
  private let window: Window
  private var liveSpacers: [Spacer] = []

  init(on stage: Stage) throws {
    window = stage.window
    let column = StackGroup(axis: .vertical, margin: 0)
    stage.view.addSubview(column)
    try LayoutConstraint.activate(column.pinned(to: stage.view))
    var lines: [View] = []
    for order in Order.allCases {
      let (line, _) = makeLine("\(order)", order, palette: stage.palette)
      line.explicitSize = 2
      lines.append(line)
    }
    let (live, spacers) = makeLine("live", order, palette: stage.palette)
    live.explicitSize = 3
    liveSpacers = spacers
    column.children = lines + [Spacer(explicitSize: 1), live, Spacer()]
  }

  private func makeLine(_ name: String, _ order: Order, palette: CommandPalette) -> (
    line: StackGroup, [Spacer]
  ) {
    let label = Label(name, style: CellStyle(foreground: palette.secondary))
    label.explicitSize = 13
    let row = StackGroup(axis: .horizontal, margin: 0)
    // A spacer without a size stretches, one of size 0 does not.
    let spacers = order.spacers.map { Spacer(explicitSize: $0 ? nil : 0) }
    let boxes = zip(1..., [palette.blue, palette.teal, palette.amber]).map { number, hue in
      let box = Tile("\(number)", hue, palette)
      // 100 points.
      box.explicitSize = 12
      return box
    }
    row.children = [
      spacers[0], boxes[0], spacers[1], boxes[1], spacers[2], boxes[2], spacers[3],
    ]
    rows.append(row)
    let line = StackGroup(axis: .horizontal, margin: 0)
    line.children = [label, row]
    return (line, spacers)
  }

  private func show(_ order: Order) {
    self.order = order
    window.animate(withDuration: .milliseconds(400)) {
      for (spacer, stretches) in zip(liveSpacers, order.spacers) { spacer.explicitSize = stretches ? nil : 0 }
      window.layoutIfNeeded()
    }
  }

  var controls: [Control] {
    Order.allCases.map { order in
      Control(.character(Character("\(order.rawValue + 1)")), "\(order)") { [weak self] in self?.show(order) }
    }
  }

  var status: String { "the last row: \(order)" }
}
