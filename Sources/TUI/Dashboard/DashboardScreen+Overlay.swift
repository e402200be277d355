import ConstraintAnimation

/// What lies on top and has the keys: palette, prompts, questions.
extension DashboardScreen {
  var overlayModel: OverlayModel? {
    state.overlay.map { OverlayModel(overlay: $0, keys: keys, appearance: appearance) }
  }

  func open(_ overlay: Overlay) {
    state.overlay = overlay
    overlaySheet.isHidden = false
    fitOverlay()
  }

  func closeOverlay() {
    state.overlay = nil
    overlaySheet.isHidden = true
  }

  func fitOverlay() {
    guard let size = overlayModel?.size(fitting: Int(window.size.width), Int(window.size.height)) else {
      return
    }
    overlaySize[0].constant = Double(size.width)
    overlaySize[1].constant = Double(size.height)
    window.performWithoutAnimation { window.layoutIfNeeded() }
    overlaySheet.invalidate()
  }

  /// An event while something lies on top. Only what concerns the terminal goes past it.
  func handleOverlay(_ event: InputEvent) -> Effect? {
    guard let overlay = state.overlay else { return nil }
    if event.kind == .mouseDown {
      let (x, y) = (Int(event.location.x), Int(event.location.y))
      if !overlaySheet.cellFrame.contains(x: x, y: y) { closeOverlay() }
      return nil
    }
    guard case .key(let key) = event.kind else { return nil }
    if event.modifiers.contains(.control), let command = keys.command(for: event),
      [.quit, .redraw, .suspend].contains(command)
    {
      return perform(command)
    }
    if key == .escape {
      closeOverlay()
      return nil
    }
    switch overlay {
    case .palette(let palette): return take(key, event.modifiers, palette)
    case .prompt(let prompt): take(key, event.modifiers, prompt)
    }
    return nil
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
    case nil: break
    }
  }

  private func take(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ palette: Palette
  ) -> Effect? {
    var palette = palette
    let found = Palette.find(palette.field.string, in: keys.bindings)
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

  private func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ prompt: Prompt) {
    var prompt = prompt
    guard key == .enter else {
      guard prompt.field.take(key, modifiers) else { return }
      prompt.problem = nil
      open(.prompt(prompt))
      return
    }
    // Before the answer, which may open something of its own.
    closeOverlay()
    prompt.problem = answer(prompt)
    if prompt.problem != nil { open(.prompt(prompt)) }
    update()
  }

  /// - Returns: what is wrong with the text; `nil` when it was taken.
  private func answer(_ prompt: Prompt) -> String? {
    switch prompt.purpose {
    case .goTo: return go(to: prompt.field.string)
    }
  }
}
