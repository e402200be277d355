import ConstraintAnimation

enum Panel: Int, CaseIterable {
  case histogram, log, events
}

struct Dashboard {
  let window: Window
  let plot = View(identifier: "plot")
  let host = View(identifier: "host")
  let panels = LowerViewManager<Panel>(active: .histogram)

  init(size: Size) throws {
    window = Window(size: size)
    let root = window.root
    let lowerHalf = LayoutGuide(identifier: "lower half")
    root.addLayoutGuide(lowerHalf)
    root.addSubview(plot)
    root.addSubview(host)
    try LayoutConstraint.activate(
      host.pinned(to: lowerHalf) + [
        plot.leadingAnchor.constraint(equalTo: root.leadingAnchor),
        plot.trailingAnchor.constraint(equalTo: root.trailingAnchor),
        plot.topAnchor.constraint(equalTo: root.topAnchor, constant: 1),
        plot.bottomAnchor.constraint(equalTo: lowerHalf.topAnchor),
        lowerHalf.leadingAnchor.constraint(equalTo: root.leadingAnchor),
        lowerHalf.trailingAnchor.constraint(equalTo: root.trailingAnchor),
        lowerHalf.bottomAnchor.constraint(equalTo: root.bottomAnchor),
        lowerHalf.heightAnchor.constraint(equalTo: plot.heightAnchor),
      ])
    for panel in Panel.allCases { try add(panel) }
    window.advance(to: .zero)
  }

  private func add(_ panel: Panel) throws {
    let page = View(identifier: "\(panel)")
    page.tag = panel.rawValue
    host.addSubview(page)
    try LayoutConstraint.activate(page.pinned(to: host))

    let button = View(identifier: "\(panel) button")
    button.frame = Rect(x: Double(panel.rawValue) * 12, y: 0, width: 11, height: 1)
    let tap = TapGestureRecognizer { [panels] _ in
      try? panels.slideHorizontally(activate: panel)
    }
    tap.keyEquivalents = [.character(Character("\(panel.rawValue + 1)"))]
    button.addGestureRecognizer(tap)
    window.root.addSubview(button)
    try panels.add(view: page, button: button)
  }
}
