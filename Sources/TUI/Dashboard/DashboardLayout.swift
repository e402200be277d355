import ConstraintAnimation

extension LayoutPriority {
  /// The priority of the constraints in force among alternatives.
  static let holding: LayoutPriority = 750
  /// The priority of the other alternatives.
  static let yielding: LayoutPriority = 250
}

/// The places of header, plots, panel and footer. It owns the two arrangements of plots and panel, and the frame around
/// them.
final class DashboardLayout {
  private let body: View
  private unowned let window: Window
  private unowned let model: ScreenModel
  private let alternatives: [Arrangement: [LayoutConstraint]]

  init(
    body: View, header: View, plots: PlotArea, panels: PanelHost, footer: View, in model: ScreenModel
  ) throws(LayoutError) {
    (self.body, window, self.model) = (body, model.window, model)
    let host = panels.view
    let frame = FrameView(panel: host, second: plots.secondView) { [unowned model] in model.appearance }
    for view in [frame, header] { body.addSubview(view) }
    try plots.install(in: body)
    for view in [host, footer] { body.addSubview(view) }
    let area = plots.guide
    try LayoutConstraint.activate([
      header.topAnchor.constraint(equalTo: body.topAnchor),
      header.heightAnchor.constraint(equalToConstant: 1),
      header.leadingAnchor.constraint(equalTo: body.leadingAnchor),

      frame.leadingAnchor.constraint(equalTo: body.leadingAnchor),
      frame.trailingAnchor.constraint(equalTo: body.trailingAnchor),
      frame.topAnchor.constraint(equalTo: header.bottomAnchor),
      frame.bottomAnchor.constraint(equalTo: body.bottomAnchor),

      footer.bottomAnchor.constraint(equalTo: body.bottomAnchor),
      footer.heightAnchor.constraint(equalToConstant: 1),
      footer.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
      footer.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),

      area.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
      area.topAnchor.constraint(equalTo: header.bottomAnchor),
      host.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),
      host.bottomAnchor.constraint(equalTo: footer.topAnchor),
    ])
    alternatives = [
      .below: [
        area.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),
        host.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
        host.topAnchor.constraint(equalTo: area.bottomAnchor),
        area.heightAnchor.constraint(equalTo: host.heightAnchor),
      ],
      .beside: [
        area.bottomAnchor.constraint(equalTo: footer.topAnchor),
        host.topAnchor.constraint(equalTo: header.bottomAnchor),
        host.leadingAnchor.constraint(equalTo: area.trailingAnchor, constant: 1),
        area.widthAnchor.constraint(equalTo: host.widthAnchor, multiplier: 1.3),
      ],
    ]
    prioritize(model.arrangement)
    for constraints in alternatives.values { try LayoutConstraint.activate(constraints) }
    try panels.install(in: body, beside: header)
  }

  /// Puts the model's arrangement in force.
  func arrange(within duration: Duration = .zero, completion: @escaping () -> Void) {
    let new = model.arrangement
    guard alternatives[new]?.contains(where: { $0.priority != .holding }) ?? false else { return }
    window.animate(withDuration: duration, curve: .easeInOut, options: .layoutFirst) {
      prioritize(new)
      window.layoutIfNeeded()
    } completion: { _ in
      completion()
    }
  }

  private func prioritize(_ arrangement: Arrangement) {
    for (way, constraints) in alternatives {
      for constraint in constraints { constraint.priority = way == arrangement ? .holding : .yielding }
    }
  }
}

/// The frame around plots and panel. It stands still while panels slide inside it.
private final class FrameView: View {
  private let appearance: () -> Appearance
  /// The line between plot and panel meets the frame here.
  private weak var panel: View?
  /// The plot to the right of the first one.
  private weak var second: View?

  init(panel: View, second: View, appearance: @escaping () -> Appearance) {
    (self.panel, self.second, self.appearance) = (panel, second, appearance)
    super.init()
    identifier = "frame"
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard rect.width > 1, rect.height > 1 else { return }
    let appearance = appearance()
    let glyphs = appearance.glyphs
    let style = appearance(.faint)
    func set(_ glyph: UInt32, _ x: Int, _ y: Int) {
      guard let scalar = Unicode.Scalar(glyph) else { return }
      canvas.fill(CellRect(x0: x, y0: y, x1: x + 1, y1: y + 1), glyph: scalar, style: style)
    }
    let divided = panel?.cellFrame ?? rect
    let isBelow = divided.y0 > rect.y0
    for (x, upper, lower, tee) in [
      (rect.x0, glyphs.upperLeft, glyphs.lowerLeft, glyphs.teeRight),
      (rect.x1 - 1, glyphs.upperRight, glyphs.lowerRight, glyphs.teeLeft),
    ] {
      set(upper, x, rect.y0)
      // A panel on its way between the two places meets the right edge only.
      let meets = isBelow && (x > rect.x0 || divided.x0 <= rect.x0 + 1)
      for y in rect.y0 + 1..<rect.y1 - 1 { set(meets && y == divided.y0 ? tee : glyphs.vertical, x, y) }
      set(lower, x, rect.y1 - 1)
    }
    for view in [panel, second].compactMap({ $0?.cellFrame }) {
      let x = view.x0 - 1
      guard view.width > 0, x > rect.x0, x < rect.x1 - 1 else { continue }
      set(glyphs.teeDown, x, view.y0)
      for y in view.y0 + 1..<max(view.y0 + 1, min(view.y1, rect.y1)) { set(glyphs.vertical, x, y) }
    }
  }
}
