import ConstraintAnimation

/// Three panels take turns below a plot: `LowerViewManager` slides the old one out and the new one in.
final class SlidingPanels: Screen {
  static let card = Card(
    name: "panels", title: "Sliding panels",
    look: "Old and new move as one. Press another key, or resize, while they move.",
    sources: ["S1"])

  enum Panel: Int, CaseIterable {
    case histogram, log, events
  }

  let panels = LowerViewManager<Panel>(active: .histogram)
  let host = View(identifier: "host")
  let plot: Tile
  private(set) var slidesVertically = false
  private var pans: [PanGestureRecognizer] = []

  init(on stage: Stage) throws {
    let palette = stage.palette
    plot = Tile("latency", palette.teal, palette, content: Sketches.scatter(palette))

    // A guide keeps the lower half free; nothing that happens in it can touch the plot.
    let lowerHalf = LayoutGuide(identifier: "lower half")
    stage.view.addLayoutGuide(lowerHalf)
    stage.view.addSubview(plot)
    stage.view.addSubview(host)
    try LayoutConstraint.activate(
      host.pinned(to: lowerHalf) + [
        plot.topAnchor.constraint(equalTo: stage.view.topAnchor, constant: 1),
        plot.leadingAnchor.constraint(equalTo: stage.view.leadingAnchor),
        plot.trailingAnchor.constraint(equalTo: stage.view.trailingAnchor),
        plot.bottomAnchor.constraint(equalTo: lowerHalf.topAnchor),
        lowerHalf.leadingAnchor.constraint(equalTo: stage.view.leadingAnchor),
        lowerHalf.trailingAnchor.constraint(equalTo: stage.view.trailingAnchor),
        lowerHalf.bottomAnchor.constraint(equalTo: stage.view.bottomAnchor),
        lowerHalf.heightAnchor.constraint(equalTo: plot.heightAnchor),
      ])

    var right = stage.view.trailingAnchor
    for panel in Panel.allCases.reversed() {
      let button = try addTab(panel, before: right, on: stage)
      right = button.leadingAnchor
      try addPage(panel, button: button, palette: palette)
    }
    pans = TransitionAxis.allCases.map { panels.makePanGestureRecognizer(along: $0) }
    for pan in pans { host.addGestureRecognizer(pan) }
    pans[1].isEnabled = false
    stage.window.firstResponder = host
  }

  /// A page is pinned to the host by its four edges and carries its kind as its tag: that is all the manager needs.
  private func addPage(_ panel: Panel, button: View, palette: CommandPalette) throws {
    let (hue, content) =
      switch panel {
      case .histogram: (palette.blue, Sketches.histogram(palette))
      case .log: (palette.amber, Sketches.log(palette))
      case .events: (palette.violet, Sketches.events(palette))
      }
    let page = Tile("\(panel)", hue, palette, content: content)
    page.tag = panel.rawValue
    host.addSubview(page)
    try LayoutConstraint.activate(page.pinned(to: host))
    try panels.add(view: page, button: button)
  }

  /// Tabs stand at the right above the plot. The manager tints them when a slide has come to rest.
  private func addTab(_ panel: Panel, before right: LayoutAnchor<XAxis>, on stage: Stage) throws -> Button {
    let choose = Control(.character(Character("\(panel.rawValue + 1)")), "\(panel)") { [weak self] in
      self?.choose(panel)
    }
    let button = Button(choose, stage.palette)
    stage.view.addSubview(button)
    try LayoutConstraint.activate([
      button.topAnchor.constraint(equalTo: stage.view.topAnchor),
      button.heightAnchor.constraint(equalToConstant: 1),
      button.widthAnchor.constraint(equalToConstant: Double(button.length)),
      button.trailingAnchor.constraint(equalTo: right, constant: -2),
    ])
    return button
  }

  private func choose(_ panel: Panel) {
    // Throws when a page has gone or is no longer pinned; here all stay.
    if slidesVertically {
      try? panels.slideVertically(activate: panel)
    } else {
      try? panels.slideHorizontally(activate: panel)
    }
  }

  var controls: [Control] {
    [
      Control(hint: "1 2 3", "choose"),
      Control(hint: "drag", "along the axis"),
      Control(.character("v"), "other axis") { [weak self] in
        guard let self else { return }
        slidesVertically.toggle()
        pans[0].isEnabled = !slidesVertically
        pans[1].isEnabled = slidesVertically
      },
      Control(.character("k"), "lock or retarget") { [weak self] in
        guard let self else { return }
        panels.style.interruption = panels.style.interruption == .lock ? .retarget : .lock
      },
    ]
  }

  var status: String {
    let axis = slidesVertically ? "vertical" : "horizontal"
    let rule = panels.style.interruption == .lock ? "a slide locks the tabs" : "a slide can be turned round"
    return "\(panels.active) · \(panels.isSliding ? "sliding" : "at rest") · \(axis) · \(rule)"
  }
}
