import ConstraintAnimation

/// The list of screens, or the help, in front of the screen.
final class Overlay: View {
  enum Kind {
    case list, help
  }

  let kind: Kind
  /// Who had the keys before.
  weak var focusBehind: View?

  private var selection: Int
  private let palette: CommandPalette
  private let choose: (Int) -> Void
  private let close: () -> Void

  init(
    _ kind: Kind, current: Int, palette: CommandPalette, choose: @escaping (Int) -> Void,
    close: @escaping () -> Void
  ) {
    self.kind = kind
    selection = current
    self.palette = palette
    self.choose = choose
    self.close = close
    super.init()
    identifier = "\(kind)"
    backgroundColor = palette.fill(palette.accent)
    addGestureRecognizer(
      TapGestureRecognizer { [weak self] tap in
        guard let self else { return }
        self.tapped(row: Int(tap.location(in: self).y) - 1)
      })
  }

  var wantedSize: Size {
    let longest = lines.map(\.count).max() ?? 0
    return Size(width: Double(longest + 4), height: Double(lines.count + 2))
  }

  override func handle(_ event: InputEvent) -> Bool {
    guard case .key(let key) = event.kind else { return false }
    switch key {
    case .escape: close()
    case .enter where kind == .list: choose(selection)
    case .up where kind == .list: select(selection - 1)
    case .down where kind == .list: select(selection + 1)
    case .home where kind == .list: select(0)
    case .end where kind == .list: select(lines.count - 1)
    default: return false
    }
    return true
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    canvas.box(rect, style: CellStyle(foreground: palette.accent))
    canvas.write(
      kind == .list ? " Screens " : " Help ", x: rect.x0 + 2, y: rect.y0,
      style: CellStyle(foreground: palette.accent, attributes: .bold))
    for (row, line) in lines.enumerated() {
      let isChosen = kind == .list && row == selection
      canvas.write(
        isChosen ? "›" + line.dropFirst() : line, x: rect.x0 + 2, y: rect.y0 + 1 + row, width: rect.width - 4,
        style: CellStyle(
          foreground: isChosen ? palette.accent : palette.text, attributes: isChosen ? .bold : []))
    }
  }

  private func select(_ row: Int) {
    selection = min(max(row, 0), lines.count - 1)
    setNeedsDisplay()
  }

  private func tapped(row: Int) {
    if kind == .list, lines.indices.contains(row) { choose(row) } else { close() }
  }

  private var lines: [String] {
    switch kind {
    case .help: Overlay.help
    case .list:
      Catalog.cards.enumerated().map { row, card in
        let number = row < 9 ? " \(row + 1)" : "\(row + 1)"
        return " \(number)  \(card.title)  (\(card.sources.joined(separator: " ")))"
      }
    }
  }

  private static let help = [
    "Each screen shows one behavior of the library. Its own keys stand above",
    "the last row, the gallery's in it; both can be clicked.",
    "",
    "n p       next and previous screen",
    "l         list of screens: ↑ ↓ and enter, or a click; esc closes",
    "?         this help; esc closes",
    "q         quit",
    "",
    "A drag      the mouse, or shift with the arrow keys",
    "A pinch     control with the wheel, or + and -; 0 goes back",
    "A rotation  alt with the wheel, or [ and ]",
    "",
    "The file of a screen is its documentation: Examples/Gallery/Screens.",
  ]
}
