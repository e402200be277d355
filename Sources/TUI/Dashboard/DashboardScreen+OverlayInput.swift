import ConstraintAnimation
import Store

/// Keys, mouse and clipboard while something lies on top.
extension DashboardScreen {
  /// An event while something lies on top. Only what concerns the terminal goes past it.
  func handleOverlay(_ event: InputEvent) -> Effect? {
    switch event.kind {
    case .key(let key): return take(key, event)
    case .mouseDown:
      if !sheet.cellFrame.contains(x: Int(event.location.x), y: Int(event.location.y)) {
        closeOverlay()
        update()
      }
    case .wheel(let ticks): scrollSelection(by: -3 * ticks)
    case .mouseDrag, .mouseMove, .mouseUp, .focusLost, .focusGained: break
    }
    return nil
  }

  private func take(_ key: InputEvent.Key, _ event: InputEvent) -> Effect? {
    if event.modifiers.contains(.control), let command = keys.command(for: event),
      [.quit, .redraw, .suspend].contains(command)
    {
      return perform(command)
    }
    if key == .escape || closesOverlay(event) && !isTyping {
      closeOverlay()
      update()
      return nil
    }
    switch state.overlay {
    case .palette(let palette): return take(key, event.modifiers, palette)
    case .prompt(let prompt): return take(key, event.modifiers, prompt)
    case .question(let question): return take(key, question)
    case .selection: return takeOnSelection(event)
    case .formats: return takeFormat(key, event)
    case nil: return nil
    }
  }

  /// In a prompt and in the palette every key belongs to the text, also the one that quits elsewhere.
  private var isTyping: Bool {
    switch state.overlay {
    case .prompt, .palette: true
    case .question, .selection, .formats, nil: false
    }
  }

  /// Text from the clipboard, where there is something to type it into.
  func paste(_ text: String) {
    switch state.overlay {
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

  // MARK: - CommandPalette

  private func take(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ palette: CommandPalette
  ) -> Effect? {
    var palette = palette
    let found = CommandPalette.find(palette.field.string, in: keys.bindings)
    switch (key, modifiers) {
    case (.enter, _):
      closeOverlay()
      guard found.indices.contains(palette.chosen) else { return nil }
      return perform(found[palette.chosen].command)
    case (.up, _), (.character("p"), .control): palette.chosen = max(0, palette.chosen - 1)
    case (.down, _), (.character("n"), .control):
      palette.chosen = min(max(0, found.count - 1), palette.chosen + 1)
    case (.pageUp, _): palette.chosen = max(0, palette.chosen - 10)
    case (.pageDown, _): palette.chosen = min(max(0, found.count - 1), palette.chosen + 10)
    default:
      guard palette.field.take(key, modifiers) else { return nil }
      palette.chosen = 0
    }
    open(.palette(palette))
    return nil
  }

  // MARK: - Prompts and questions

  private func take(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ prompt: Prompt
  ) -> Effect? {
    var prompt = prompt
    guard key == .enter else {
      guard prompt.field.take(key, modifiers) else { return nil }
      prompt.problem = nil
      open(.prompt(prompt))
      return nil
    }
    // Before the answer, which may open something of its own.
    closeOverlay()
    let text = prompt.field.string
    switch prompt.purpose {
    case .goTo:
      prompt.problem = go(to: text)
      if prompt.problem != nil { open(.prompt(prompt)) }
    case .filter: filter(by: text)
    case .rename(let run): return ask(.rename(run, name: text.isEmpty ? nil : text))
    case .startRun: return ask(.start(name: text.isEmpty ? nil : text))
    }
    update()
    return nil
  }

  private func take(_ key: InputEvent.Key, _ question: Question) -> Effect? {
    switch key {
    case .character("y"), .character("Y"):
      closeOverlay()
      return ask(question.command)
    case .character("n"), .character("N"), .enter: closeOverlay()
    default: break
    }
    return nil
  }

  private func ask(_ command: ControlCommand) -> Effect {
    say(FooterMessage(text: "asking for it\(appearance.glyphs.ellipsis)"))
    return .control(command)
  }

  // MARK: - Lists

  /// Takes what scrolls, and what would change things underneath.
  private func takeOnSelection(_ event: InputEvent) -> Effect? {
    guard let command = keys.command(for: event) else { return nil }
    switch command {
    case .help, .redraw, .suspend, .releaseMouse, .plot(.exportSelection): return perform(command)
    case .scroll(let rows): scrollSelection(by: rows)
    case .page(let pages): scrollSelection(by: pages * max(1, sheet.cellFrame.height - 4))
    case .scrollToStart: scrollSelection(by: -1_000_000_000)
    case .scrollToEnd: scrollSelection(by: 1_000_000_000)
    case .plot(.list), .dismiss:
      closeOverlay()
      update()
    default: break
    }
    return nil
  }

  private func scrollSelection(by rows: Int) {
    guard case .selection(let firstRow) = state.overlay, let list = selectionList else { return }
    let most = list.mostScroll(height: sheet.cellFrame.height)
    state.overlay = .selection(firstRow: min(max(firstRow + rows, 0), most))
    sheet.invalidate()
  }

  private func takeFormat(_ key: InputEvent.Key, _ event: InputEvent) -> Effect? {
    if case .character(let character) = key,
      let format = ViewFormat.allCases.first(where: { $0.key == character })
    {
      closeOverlay()
      update()
      return .export(.view(format))
    }
    guard let command = keys.command(for: event) else { return nil }
    switch command {
    case .help, .redraw, .suspend, .releaseMouse: return perform(command)
    case .plot(.exportView), .dismiss:
      closeOverlay()
      update()
    default: break
    }
    return nil
  }
}
