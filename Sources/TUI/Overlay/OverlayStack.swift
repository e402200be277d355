import ConstraintAnimation
import Store

/// What lies on top of the dashboard: a sheet with an overlay, and the help above it. It owns their views and takes the
/// keys while one of them is open.
final class OverlayStack {
  /// What an event came to.
  enum Outcome {
    case done
    case command(Command)
    case answer(Prompt, String)
    case confirm(ControlCommand)
    case export(ViewFormat)
  }

  /// The overlay that is open; `nil` for none.
  private(set) var overlay: Overlay?
  private(set) var showsHelp = false
  private let keys: KeyTable
  private let sheet = CenteredSheet(identifier: "sheet")
  private let help = CenteredSheet(identifier: "help")
  /// The first line of the help in view.
  private var helpLine = 0
  private unowned let window: Window
  private let source: ScreenSource
  /// Called when something has been opened or closed.
  private let onChange: () -> Void

  init(keys: KeyTable, window: Window, source: @escaping ScreenSource, onChange: @escaping () -> Void)
    throws(LayoutError)
  {
    (self.keys, self.window, self.source, self.onChange) = (keys, window, source, onChange)
    for view in [sheet, help] { try view.install(in: window.root) }
    help.view.alpha = 0
    sheet.view.make = { [unowned self] in self.picture(width: $0, height: $1) }
    help.view.make = { [unowned self] in self.helpModel.picture(width: $0, height: $1) }
  }

  var isOpen: Bool { overlay != nil || showsHelp }

  func open(_ overlay: Overlay) {
    if showsHelp { toggleHelp() }
    self.overlay = overlay
    sheet.view.isHidden = false
    onChange()
    fit()
  }

  private func close() {
    overlay = nil
    sheet.view.isHidden = true
    onChange()
  }

  func toggleHelp() {
    showsHelp.toggle()
    onChange()
    if showsHelp {
      helpLine = 0
      fit()
      help.view.isHidden = false
    }
    window.animate(withDuration: .milliseconds(120), curve: .easeOut) {
      help.view.alpha = showsHelp ? 1 : 0
    } completion: { [weak self] _ in
      guard let self, !self.showsHelp else { return }
      self.help.view.isHidden = true
    }
  }

  // MARK: - Pictures

  /// Draws all anew.
  func invalidate() {
    for sheet in [sheet, help] { sheet.view.invalidate() }
  }

  /// Draws the list of selected notifications anew.
  func invalidateSelection() {
    if case .selection = overlay { sheet.view.invalidate() }
  }

  /// Sizes what is open for the window, in its middle.
  func fit() {
    guard isOpen else { return }
    let (width, height) = (Int(window.size.width), Int(window.size.height))
    if showsHelp { help.setSize(helpModel.size(fitting: width, height)) }
    switch overlay {
    case .palette, .prompt, .question: sheet.setSize(dialog?.size(fitting: width, height) ?? (0, 0))
    case .selection: sheet.setSize(selectionList?.size(fitting: width, height) ?? (0, 0))
    case .formats: sheet.setSize((ExportChooserModel.width, ExportChooserModel.height))
    case nil: break
    }
    window.performWithoutAnimation { window.layoutIfNeeded() }
    if showsHelp { help.view.invalidate() }
    if overlay != nil { sheet.view.invalidate() }
  }

  private var helpModel: HelpModel {
    HelpModel(keys: keys, appearance: source().context.appearance, firstLine: helpLine)
  }

  private func picture(width: Int, height: Int) -> CellPicture {
    let picture: CellPicture? =
      switch overlay {
      case .palette, .prompt, .question: dialog?.picture(width: width, height: height)
      case .selection: selectionList?.picture(width: width, height: height)
      case .formats:
        ExportChooserModel(appearance: source().context.appearance).picture(width: width, height: height)
      case nil: nil
      }
    return picture ?? CellPicture(width: width, height: height)
  }

  private var dialog: OverlayModel? {
    let content: OverlayModel.Content
    switch overlay {
    case .palette(let palette): content = .palette(palette)
    case .prompt(let prompt): content = .prompt(prompt)
    case .question(let question): content = .question(question)
    case .selection, .formats, nil: return nil
    }
    return OverlayModel(content: content, keys: keys, appearance: source().context.appearance)
  }

  private var selectionList: SelectionListModel? {
    let (state, context) = source()
    guard case .selection(let firstRow) = overlay, let selection = state.plot.selection else { return nil }
    return SelectionListModel(
      selection: selection, snapshot: context.shown, firstRow: firstRow, appearance: context.appearance,
      zone: context.options.zone)
  }

  // MARK: - Input

  /// Handles an event while something is open.
  /// - Returns: `nil` when the event is not for what is open.
  func handle(_ event: InputEvent) -> Outcome? {
    if showsHelp { return handleInHelp(event) ? .done : nil }
    guard overlay != nil else { return nil }
    switch event.kind {
    case .key(let key): return take(key, event)
    case .mouseDown:
      if !sheet.view.cellFrame.contains(x: Int(event.location.x), y: Int(event.location.y)) { close() }
    case .wheel(let ticks): scrollSelection(by: -3 * ticks)
    case .mouseDrag, .mouseMove, .mouseUp, .focusLost, .focusGained: break
    }
    return .done
  }

  /// Text from the clipboard, where there is a field to put it into.
  func paste(_ text: String) {
    switch overlay {
    case .palette(var palette):
      palette.field.insert(text)
      palette.chosen = 0
      open(.palette(palette))
    case .prompt(var prompt):
      prompt.field.insert(text)
      prompt.problem = nil
      open(.prompt(prompt))
    case .question, .selection, .formats, nil: break
    }
  }

  private func handleInHelp(_ event: InputEvent) -> Bool {
    if event.kind == .mouseDown || closes(event) {
      toggleHelp()
      return true
    }
    switch keys.command(for: event) {
    case .help, .dismiss: toggleHelp()
    case .scroll(let rows): scrollHelp(by: rows)
    case .page(let pages): scrollHelp(by: pages * 10)
    default: return false
    }
    return true
  }

  private func scrollHelp(by lines: Int) {
    let most = helpModel.mostScroll(fitting: Int(window.size.width), Int(window.size.height))
    helpLine = min(max(helpLine + lines, 0), most)
    help.view.invalidate()
  }

  /// A key that quits closes what is open instead; together with Ctrl it quits from anywhere.
  private func closes(_ event: InputEvent) -> Bool {
    !event.modifiers.contains(.control) && keys.command(for: event) == .quit
  }

  private func take(_ key: InputEvent.Key, _ event: InputEvent) -> Outcome {
    let command = keys.command(for: event)
    if event.modifiers.contains(.control), let command, [.quit, .redraw, .suspend].contains(command) {
      return .command(command)
    }
    if key == .escape || closes(event) && !isTyping {
      close()
      return .done
    }
    switch overlay {
    case .palette(let palette): return take(key, event.modifiers, palette)
    case .prompt(let prompt): return take(key, event.modifiers, prompt)
    case .question(let question): return take(key, question)
    case .selection: return takeInSelection(command)
    case .formats: return takeFormat(key, command)
    case nil: return .done
    }
  }

  /// Prompts and palette take every key as text, also the one that quits elsewhere.
  private var isTyping: Bool {
    switch overlay {
    case .prompt, .palette: true
    case .question, .selection, .formats, nil: false
    }
  }

  private func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ palette: CommandPalette)
    -> Outcome
  {
    var palette = palette
    let found = CommandPalette.find(palette.field.string, in: keys.bindings)
    switch (key, modifiers) {
    case (.enter, _):
      close()
      return found.indices.contains(palette.chosen) ? .command(found[palette.chosen].command) : .done
    case (.up, _), (.character("p"), .control): palette.chosen = max(0, palette.chosen - 1)
    case (.down, _), (.character("n"), .control):
      palette.chosen = min(max(0, found.count - 1), palette.chosen + 1)
    case (.pageUp, _): palette.chosen = max(0, palette.chosen - 10)
    case (.pageDown, _): palette.chosen = min(max(0, found.count - 1), palette.chosen + 10)
    default:
      guard palette.field.take(key, modifiers) else { return .done }
      palette.chosen = 0
    }
    open(.palette(palette))
    return .done
  }

  private func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ prompt: Prompt) -> Outcome {
    if key == .enter {
      close()
      return .answer(prompt, prompt.field.string)
    }
    var prompt = prompt
    guard prompt.field.take(key, modifiers) else { return .done }
    prompt.problem = nil
    open(.prompt(prompt))
    return .done
  }

  private func take(_ key: InputEvent.Key, _ question: Question) -> Outcome {
    switch key {
    case .character("y"), .character("Y"):
      close()
      return .confirm(question.command)
    case .character("n"), .character("N"), .enter: close()
    default: break
    }
    return .done
  }

  /// Ignores commands that would change what is below.
  private func takeInSelection(_ command: Command?) -> Outcome {
    switch command {
    case .help, .redraw, .suspend, .releaseMouse, .exportSelection:
      return command.map(Outcome.command) ?? .done
    case .scroll(let rows): scrollSelection(by: rows)
    case .page(let pages): scrollSelection(by: pages * max(1, sheet.view.cellFrame.height - 4))
    case .scrollToStart: scrollSelection(by: -1_000_000_000)
    case .scrollToEnd: scrollSelection(by: 1_000_000_000)
    case .list, .dismiss: close()
    default: break
    }
    return .done
  }

  private func scrollSelection(by rows: Int) {
    guard case .selection(let firstRow) = overlay, let list = selectionList else { return }
    let most = list.mostScroll(height: sheet.view.cellFrame.height)
    overlay = .selection(firstRow: min(max(firstRow + rows, 0), most))
    sheet.view.invalidate()
  }

  private func takeFormat(_ key: InputEvent.Key, _ command: Command?) -> Outcome {
    if case .character(let character) = key,
      let format = ViewFormat.allCases.first(where: { $0.key == character })
    {
      close()
      return .export(format)
    }
    switch command {
    case .help, .redraw, .suspend, .releaseMouse: return command.map(Outcome.command) ?? .done
    case .exportView, .dismiss: close()
    default: break
    }
    return .done
  }
}

/// A hidden view in the middle of the window, of a size that is set.
private final class CenteredSheet {
  let view: PictureView
  private let width: LayoutConstraint
  private let height: LayoutConstraint

  init(identifier: String) {
    view = PictureView(identifier: identifier)
    view.isHidden = true
    width = view.widthAnchor.constraint(equalToConstant: 0)
    height = view.heightAnchor.constraint(equalToConstant: 0)
  }

  func install(in root: View) throws(LayoutError) {
    root.addSubview(view)
    try LayoutConstraint.activate([
      width, height, view.centerXAnchor.constraint(equalTo: root.centerXAnchor),
      view.centerYAnchor.constraint(equalTo: root.centerYAnchor),
    ])
  }

  func setSize(_ size: (width: Int, height: Int)) {
    width.constant = Double(size.width)
    height.constant = Double(size.height)
  }
}
