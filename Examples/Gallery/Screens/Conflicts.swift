import ConstraintAnimation

/// Constraints that cannot hold together are refused by name; the layout stays as it was.
final class Conflicts: Screen {
  static let card = Card(
    name: "conflicts", title: "Unsatisfiable constraints",
    look: "Ask for more than there is: the refusal says who is in the way.",
    sources: ["S3"])

  let panes: [Tile]
  let demands: [LayoutConstraint]
  /// The last refusal.
  private(set) var refusal: LayoutError?
  private let report: Label
  private let window: Window

  init(on stage: Stage) throws {
    let (view, palette) = (stage.view, stage.palette)
    view.identifier = "stage"
    window = stage.window
    panes = [
      Tile("sidebar", palette.blue, palette), Tile("content", palette.teal, palette),
      Tile("inspector", palette.amber, palette),
    ]
    report = Label(style: CellStyle(foreground: palette.text))

    demands = [
      panes[0].widthAnchor.constraint(greaterThanOrEqualTo: view.widthAnchor, multiplier: 0.6)
        .with(identifier: "a wide sidebar"),
      panes[1].widthAnchor.constraint(greaterThanOrEqualTo: view.widthAnchor, multiplier: 0.5)
        .with(identifier: "much content"),
      panes[2].widthAnchor.constraint(greaterThanOrEqualTo: view.widthAnchor, multiplier: 0.25)
        .with(identifier: "a visible inspector"),
    ]

    var constraints = [
      report.leadingAnchor.constraint(equalTo: view.leadingAnchor),
      report.trailingAnchor.constraint(equalTo: view.trailingAnchor),
      report.topAnchor.constraint(equalTo: view.topAnchor, constant: 6),
      report.bottomAnchor.constraint(equalTo: view.bottomAnchor),
    ]
    view.addSubview(report)
    var left = view.leadingAnchor
    for pane in panes {
      view.addSubview(pane)
      constraints += [
        pane.leadingAnchor.constraint(equalTo: left),
        pane.topAnchor.constraint(equalTo: view.topAnchor),
        pane.heightAnchor.constraint(equalToConstant: 5),
        pane.widthAnchor.constraint(greaterThanOrEqualToConstant: 0).with(identifier: "no negative width"),
        // What they would like when nobody demands anything.
        pane.widthAnchor.constraint(equalTo: view.widthAnchor, multiplier: 1.0 / 3).with(priority: 250),
      ]
      left = pane.trailingAnchor
    }
    constraints.append(left.constraint(equalTo: view.trailingAnchor).with(identifier: "up to the edge"))
    try LayoutConstraint.activate(constraints)
  }

  /// Makes a demand, or drops it. Activating throws when it cannot hold; nothing has changed then.
  private func toggle(_ demand: LayoutConstraint, as priority: LayoutPriority = .required) {
    refusal = nil
    if demand.isActive {
      LayoutConstraint.deactivate([demand])
    } else {
      do throws(LayoutError) {
        try LayoutConstraint.activate([demand.with(priority: priority)])
      } catch {
        refusal = error
      }
    }
    window.animate(withDuration: .milliseconds(250)) { window.layoutIfNeeded() }
  }

  /// The next demand that was refused, as a wish: it gets as much as is left.
  private func softenRefused() {
    if let demand = demands.first(where: { !$0.isActive }) { toggle(demand, as: 750) }
  }

  func refresh() {
    let held = demands.map { demand in
      let mark = !demand.isActive ? "○" : demand.priority == .required ? "●" : "◐"
      return "\(mark) \(demand)"
    }
    report.text = (held + [""] + refusalLines).joined(separator: "\n")
  }

  private var refusalLines: [String] {
    switch refusal {
    case nil: []
    case .unsatisfiable(let broken, let others):
      // Those without an identifier are the frame that everything stands in.
      ["Refused: \(broken)", "It cannot hold together with"]
        + others.filter { $0.contains(": ") }.map { "  \($0)" }
        + ["  and \(others.count { !$0.contains(": ") }) more"]
    case let other?: ["Refused: \(other)"]
    }
  }

  var controls: [Control] {
    zip(1..., demands).map { number, demand in
      Control(.character(Character("\(number)")), demand.identifier ?? "") { [weak self] in
        self?.toggle(demand)
      }
    } + [Control(.character("w"), "as a wish") { [weak self] in self?.softenRefused() }]
  }

  var status: String {
    let widths = panes.map { "\($0.title) \($0.cellFrame.width)" }.joined(separator: ", ")
    return refusal == nil ? widths : "\(widths) · refused, the last good layout stays"
  }
}
