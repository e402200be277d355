import ConstraintAnimation

/// A key and what it does, in one row: a click and the key are the same tap.
final class Button: View {
  let cap: String
  var title: String {
    didSet { if title != oldValue { setNeedsDisplay() } }
  }

  private let palette: CommandPalette

  init(_ cap: String, _ title: String, _ palette: CommandPalette) {
    self.cap = cap
    self.title = title
    self.palette = palette
    super.init()
    identifier = title
  }

  convenience init(_ control: Control, _ palette: CommandPalette) {
    self.init(control.cap, control.title, palette)
    guard let action = control.action else {
      isUserInteractionEnabled = false
      return
    }
    let tap = TapGestureRecognizer { _ in action() }
    tap.keyEquivalents = control.keys
    addGestureRecognizer(tap)
  }

  /// The columns it takes.
  var length: Int { cap.count + 1 + title.count }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    let ink = isEnabled ? presentationTintColor ?? palette.secondary : palette.faint
    let key = isEnabled ? presentationTintColor ?? palette.accent : palette.faint
    canvas.write(cap, x: rect.x0, y: rect.y0, style: CellStyle(foreground: key, attributes: .bold))
    canvas.write(title, x: rect.x0 + cap.count + 1, y: rect.y0, style: CellStyle(foreground: ink))
  }
}
