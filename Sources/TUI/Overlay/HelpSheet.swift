import ConstraintAnimation

/// The help on top of everything: its view, its place in the text, and the keys that move and close it.
final class HelpSheet {
  private(set) var isShown = false
  private let keys: KeyTable
  private let sheet = CenteredSheet(identifier: "help")
  /// The first line in view.
  private var firstLine = 0
  private unowned let window: Window
  private let appearance: () -> Appearance

  init(keys: KeyTable, window: Window, appearance: @escaping () -> Appearance) throws(LayoutError) {
    (self.keys, self.window, self.appearance) = (keys, window, appearance)
    try sheet.install(in: window.root)
    sheet.view.alpha = 0
    sheet.view.make = { [unowned self] in self.model.picture(width: $0, height: $1) }
  }

  private var model: HelpModel {
    HelpModel(keys: keys, appearance: appearance(), firstLine: firstLine)
  }

  func toggle() {
    isShown.toggle()
    if isShown {
      firstLine = 0
      fit()
      window.performWithoutAnimation { window.layoutIfNeeded() }
      sheet.view.isHidden = false
    }
    window.animate(withDuration: .milliseconds(120), curve: .easeOut) {
      sheet.view.alpha = isShown ? 1 : 0
    } completion: { [weak self] _ in
      guard let self, !self.isShown else { return }
      self.sheet.view.isHidden = true
    }
  }

  func invalidate() { sheet.view.invalidate() }

  /// Adopts the size that the window has room for; the window lays it out.
  func fit() {
    guard isShown else { return }
    sheet.setSize(model.size(fitting: Int(window.size.width), Int(window.size.height)))
    sheet.view.invalidate()
  }

  /// - Returns: whether an event was for the help.
  func handle(_ event: InputEvent) -> Bool {
    if event.kind == .mouseDown || keys.closes(event) {
      toggle()
      return true
    }
    if case .wheel(let ticks) = event.kind {
      scroll(by: -3 * ticks)
      return true
    }
    let room = HelpModel.room(height: sheet.view.cellFrame.height)
    switch keys.command(for: event) {
    case .help, .dismiss: toggle()
    case .scroll(let rows): scroll(by: rows)
    case .page(let pages): scroll(by: pages * room)
    case .halfPage(let halves): scroll(by: halves * max(1, room / 2))
    case .scrollToStart: scroll(by: -ViewState.toEnd)
    case .scrollToEnd: scroll(by: ViewState.toEnd)
    default: return false
    }
    return true
  }

  private func scroll(by lines: Int) {
    let most = model.mostScroll(fitting: Int(window.size.width), Int(window.size.height))
    firstLine = min(max(firstLine + lines, 0), most)
    sheet.view.invalidate()
  }
}

extension KeyTable {
  /// Whether a key that quits closes what is open instead; together with Ctrl it quits from anywhere.
  func closes(_ event: InputEvent) -> Bool {
    !event.modifiers.contains(.control) && command(for: event) == .quit
  }
}
