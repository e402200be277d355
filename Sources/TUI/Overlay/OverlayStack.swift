import ConstraintAnimation
import Measurement
import Store

/// What is open. Only ``OverlayStack`` changes it.
final class OpenOverlays {
  /// The overlay that is open; `nil` for none.
  fileprivate(set) var overlay: (any Overlay)?
  fileprivate(set) var showsHelp = false

  var isAny: Bool { overlay != nil || showsHelp }
}

/// What lies on top of the dashboard: a sheet with an overlay, and the help above it. It owns their views and takes the
/// keys while one of them is open.
final class OverlayStack {
  private let opened: OpenOverlays
  private let keys: KeyTable
  private let sheet = CenteredSheet(identifier: "sheet")
  private let help: HelpSheet
  private unowned let window: Window
  private unowned let model: ScreenModel
  /// Called when something has been opened or closed.
  private let onChange: () -> Void

  init(_ model: ScreenModel, onChange: @escaping () -> Void) throws(LayoutError) {
    (self.model, self.onChange) = (model, onChange)
    (keys, window, opened) = (model.options.keys, model.window, model.overlays)
    try sheet.install(in: window.root)
    help = try HelpSheet(keys: keys, window: window) { [unowned model] in model.appearance }
    sheet.view.make = { [unowned self] width, height in
      self.overlay?.picture(in: self.scene(sheet: (width, height)))
        ?? CellPicture(width: width, height: height)
    }
  }

  private var overlay: (any Overlay)? { opened.overlay }

  private var showsHelp: Bool { help.isShown }

  func open(_ overlay: any Overlay) {
    if showsHelp { toggleHelp() }
    opened.overlay = overlay
    sheet.view.isHidden = false
    onChange()
    fit()
  }

  private func close() {
    opened.overlay = nil
    sheet.view.isHidden = true
    onChange()
  }

  func toggleHelp() {
    help.toggle()
    opened.showsHelp = help.isShown
    onChange()
  }

  // MARK: - Pictures

  /// Draws all anew.
  func invalidate() {
    sheet.view.invalidate()
    help.invalidate()
  }

  /// Draws what shows data anew. What has been read since may need more lines.
  func invalidateData() { if overlay?.showsData ?? false { fit() } }

  /// Sizes what is open for the window, in its middle.
  func fit() {
    guard opened.isAny else { return }
    if let overlay { sheet.setSize(overlay.size(in: scene)) }
    help.fit()
    window.performWithoutAnimation { window.layoutIfNeeded() }
    if overlay != nil { sheet.view.invalidate() }
  }

  private var scene: OverlayScene {
    scene(sheet: (sheet.view.cellFrame.width, sheet.view.cellFrame.height))
  }

  private func scene(sheet: CellSize) -> OverlayScene {
    OverlayScene(
      state: model.state, context: model.context, terminal: (Int(window.size.width), Int(window.size.height)),
      sheet: sheet)
  }

  // MARK: - Input

  /// Handles an event while something is open.
  /// - Returns: `nil` when the event is not for what is open.
  func handle(_ event: InputEvent) -> OverlayOutcome? {
    if showsHelp {
      let isTaken = help.handle(event)
      opened.showsHelp = help.isShown
      if !showsHelp { onChange() }
      return isTaken ? .done : nil
    }
    guard var overlay else { return nil }
    switch event.kind {
    case .key(let key): return handle(key, event, overlay)
    case .mouseDown:
      if !sheet.view.cellFrame.contains(x: Int(event.location.x), y: Int(event.location.y)) { close() }
    case .wheel(let ticks):
      overlay.scroll(by: -3 * ticks, in: scene)
      replace(with: overlay)
    case .mouseDrag, .mouseMove, .mouseUp, .focusLost, .focusGained: break
    }
    return .done
  }

  /// Text from the clipboard, where there is a field to put it into.
  func paste(_ text: String) {
    guard var overlay else { return }
    overlay.insert(text)
    replace(with: overlay)
  }

  private func handle(_ key: InputEvent.Key, _ event: InputEvent, _ overlay: any Overlay) -> OverlayOutcome {
    let command = keys.command(for: event)
    if event.modifiers.contains(.control), let command, [.quit, .redraw, .suspend].contains(command) {
      return .command(command)
    }
    if key == .escape || command == .dismiss && !overlay.isAsking
      || keys.closes(event) && !overlay.acceptsText
    {
      return follow(overlay.dismiss(in: scene), overlay)
    }
    if let command, [.help, .redraw, .suspend, .releaseMouse].contains(command), !overlay.isAsking {
      return .command(command)
    }
    var overlay = overlay
    let reply = overlay.handle(
      OverlayInput(key: key, modifiers: event.modifiers, command: command), in: scene)
    return follow(reply, overlay)
  }

  private func follow(_ reply: OverlayReply, _ changed: any Overlay) -> OverlayOutcome {
    switch reply {
    case .stay(let outcome):
      replace(with: changed)
      return outcome
    case .close(let outcome):
      close()
      return outcome
    case .show(let other):
      open(other)
      return .done
    }
  }

  /// Shows what is open as it has become.
  private func replace(with changed: any Overlay) {
    if let overlay, !changed.isEqual(to: overlay) { open(changed) }
  }
}
