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

/// Lines of text. Changing the text asks for a new drawing of what the label covers, and of nothing else.
final class Label: View {
  enum Alignment {
    case leading, center, trailing
  }

  var text: String {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  var style: CellStyle
  var alignment = Alignment.leading

  init(_ text: String = "", style: CellStyle) {
    self.text = text
    self.style = style
    super.init()
    isUserInteractionEnabled = false
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, y) in zip(lines, rect.y0..<rect.y1) {
      let slack = max(0, rect.width - line.count)
      let shift =
        switch alignment {
        case .leading: 0
        case .center: slack / 2
        case .trailing: slack
        }
      canvas.write(String(line), x: rect.x0 + shift, y: y, width: rect.width - shift, style: style)
    }
  }
}

/// How far something is: a thin line, the part behind in color.
final class ProgressBar: View {
  var fraction = 0.0 {
    didSet { if fraction != oldValue { setNeedsDisplay() } }
  }

  private let palette: CommandPalette

  init(_ palette: CommandPalette) {
    self.palette = palette
    super.init()
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard rect.width > 0 else { return }
    let knob = min(max(Int((fraction * Double(rect.width - 1)).rounded()), 0), rect.width - 1)
    canvas.write(
      String(repeating: "━", count: knob), x: rect.x0, y: rect.y0,
      style: CellStyle(foreground: palette.accent))
    canvas.write(
      String(repeating: "─", count: rect.width - knob), x: rect.x0 + knob, y: rect.y0,
      style: CellStyle(foreground: palette.faint))
    canvas.write(
      "●", x: rect.x0 + knob, y: rect.y0, style: CellStyle(foreground: palette.accent, attributes: .bold))
  }
}

/// A plain area without a frame. A row of its digit shows where it ends where there are no colors.
final class Swatch: View {
  private let digit: String

  init(_ digit: String, _ hue: Color, _ palette: CommandPalette) {
    self.digit = digit
    super.init()
    identifier = digit
    tintColor = hue
    backgroundColor = palette.fill(hue)
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard !rect.isEmpty else { return }
    canvas.write(
      String(repeating: digit, count: rect.width), x: rect.x0, y: rect.y0 + rect.height / 2,
      style: CellStyle(foreground: presentationTintColor))
  }
}

/// Something a screen offers: keys, a word for what they do, and the doing. The gallery makes a button of it.
struct Control {
  let keys: Set<InputEvent.Key>
  /// The key as people read it.
  let cap: String
  let title: String
  /// Nil for what only the pointer or a recognizer can do: it is mentioned, not clicked.
  let action: (() -> Void)?

  init(_ key: InputEvent.Key, _ title: String, _ action: @escaping () -> Void) {
    keys = [key]
    cap = Control.cap(of: key)
    self.title = title
    self.action = action
  }

  init(hint cap: String, _ title: String) {
    keys = []
    self.cap = cap
    self.title = title
    action = nil
  }

  private static func cap(of key: InputEvent.Key) -> String {
    switch key {
    case .character(" "): "space"
    case .character(let character): String(character)
    case .left: "←"
    case .right: "→"
    case .up: "↑"
    case .down: "↓"
    default: "\(key)"
    }
  }
}
