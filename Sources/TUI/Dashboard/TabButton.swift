import ConstraintAnimation

/// The name of a panel in the header: shows the panel when it is clicked.
final class TabButton: View {
  private let panel: Panel
  private let appearance: () -> Appearance

  init(panel: Panel, appearance: @escaping () -> Appearance, choose: @escaping (Panel) -> Void) {
    self.panel = panel
    self.appearance = appearance
    super.init()
    identifier = "tab \(panel.title)"
    tag = panel.rawValue
    addGestureRecognizer(TapGestureRecognizer { _ in choose(panel) })
  }

  private var label: String { "\(panel.rawValue + 1) \(panel.title)" }

  /// The label between brackets.
  override var intrinsicContentSize: Size? { Size(width: Double(label.count + 2), height: 1) }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    let appearance = appearance()
    // Brackets say it too, for those who cannot tell the colors apart.
    let isActive = tintColor == appearance.theme.activeTab
    var style = CellStyle(attributes: isActive ? .bold : [])
    if appearance.hasColors { style.foreground = presentationTintColor }
    canvas.write(isActive ? "[\(label)]" : " \(label) ", x: rect.x0, y: rect.y0, style: style)
  }
}
