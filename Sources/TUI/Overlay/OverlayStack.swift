import ConstraintAnimation
import Measurement
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
    case exportSamples([SampleID])
    /// Shows or hides a column of the table.
    case toggleColumn(String)
  }

  /// The overlay that is open; `nil` for none.
  private(set) var overlay: Overlay?
  private let keys: KeyTable
  private let sheet = CenteredSheet(identifier: "sheet")
  private let help: HelpSheet
  /// The first line in view of the notification or the finding that is open.
  private var firstLine = 0
  private unowned let window: Window
  private let source: ScreenSource
  /// Called when something has been opened or closed.
  private let onChange: () -> Void

  init(keys: KeyTable, window: Window, source: @escaping ScreenSource, onChange: @escaping () -> Void)
    throws(LayoutError)
  {
    (self.keys, self.window, self.source, self.onChange) = (keys, window, source, onChange)
    try sheet.install(in: window.root)
    help = try HelpSheet(keys: keys, window: window) { source().context.appearance }
    sheet.view.make = { [unowned self] in self.picture(width: $0, height: $1) }
  }

  var isOpen: Bool { overlay != nil || showsHelp }

  var showsHelp: Bool { help.isShown }

  func open(_ overlay: Overlay) {
    if showsHelp { toggleHelp() }
    if case .finding = overlay { firstLine = 0 }
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
    help.toggle()
    onChange()
  }

  // MARK: - Pictures

  /// Draws all anew.
  func invalidate() {
    sheet.view.invalidate()
    help.invalidate()
  }

  /// Draws what shows data anew.
  func invalidateSelection() {
    switch overlay {
    case .selection: sheet.view.invalidate()
    // What has been read since may need more lines, another line may be shorter.
    case .notification, .finding, .line, .columns: fit()
    case .palette, .prompt, .question, .formats, nil: break
    }
  }

  /// Sizes what is open for the window, in its middle.
  func fit() {
    guard isOpen else { return }
    let (width, height) = (Int(window.size.width), Int(window.size.height))
    switch overlay {
    case .palette, .prompt, .question: sheet.setSize(dialog?.size(fitting: width, height) ?? (0, 0))
    case .selection: sheet.setSize(selectionList?.size(fitting: width, height) ?? (0, 0))
    case .notification(let id, _):
      sheet.setSize(source().context.notification(id).size(fitting: width, height))
    case .finding(let id): sheet.setSize(source().context.finding(id).size(fitting: width, height))
    case .line: sheet.setSize(line?.size(fitting: width, height) ?? (0, 0))
    case .columns: sheet.setSize(columnChooser?.size(fitting: width, height) ?? (0, 0))
    case .formats: sheet.setSize((ExportChooserModel.width, ExportChooserModel.height))
    case nil: break
    }
    help.fit()
    window.performWithoutAnimation { window.layoutIfNeeded() }
    if overlay != nil { sheet.view.invalidate() }
  }

  private func picture(width: Int, height: Int) -> CellPicture {
    let picture: CellPicture? =
      switch overlay {
      case .palette, .prompt, .question: dialog?.picture(width: width, height: height)
      case .selection: selectionList?.picture(width: width, height: height)
      case .notification(let id, _): notification(id).picture(width: width, height: height)
      case .finding(let id): finding(id).picture(width: width, height: height)
      case .line: line?.picture(width: width, height: height)
      case .columns: columnChooser?.picture(width: width, height: height)
      case .formats(let chosen):
        ExportChooserModel(chosen: chosen, appearance: source().context.appearance)
          .picture(width: width, height: height)
      case nil: nil
      }
    return picture ?? CellPicture(width: width, height: height)
  }

  private var dialog: OverlayModel? {
    let content: OverlayModel.Content
    switch overlay {
    case .palette(let palette): content = .palette(palette, entries(palette))
    case .prompt(let prompt): content = .prompt(prompt)
    case .question(let question): content = .question(question)
    case .selection, .notification, .finding, .line, .columns, .formats, nil: return nil
    }
    return OverlayModel(content: content, appearance: source().context.appearance)
  }

  private func entries(_ palette: CommandPalette) -> [PaletteEntry] {
    let (state, context) = source()
    return PaletteArguments(
      themes: context.options.themes.map(\.name), targets: context.shown.targets.map(\.name),
      timeProblem: { text in
        do throws(TimeInput.Problem) {
          _ = try context.moment(text, state)
          return nil
        } catch {
          return error.text
        }
      }
    ).entries(for: palette.field.string, in: keys)
  }

  private var selectionList: SelectionListModel? {
    let (state, context) = source()
    guard case .selection(let firstRow, let chosen) = overlay, let selection = state.plot.selection else {
      return nil
    }
    return SelectionListModel(
      selection: selection, snapshot: context.shown, firstRow: firstRow, chosen: chosen,
      appearance: context.appearance, zone: context.options.zone)
  }

  private var line: LineModel? {
    let (state, context) = source()
    return context.line(state)
  }

  private func notification(_ id: SampleID) -> NotificationModel {
    var model = source().context.notification(id)
    model.firstLine = firstLine
    return model
  }

  private func finding(_ id: String) -> FindingSheetModel {
    var model = source().context.finding(id)
    model.firstLine = firstLine
    return model
  }

  private var columnChooser: ColumnChooserModel? {
    let (state, context) = source()
    guard case .columns(let chosen) = overlay else { return nil }
    return ColumnChooserModel(
      columns: context.columns(state.panel), hidden: state.tables.hiddenColumns[state.panel] ?? [],
      chosen: chosen, appearance: context.appearance)
  }

  // MARK: - Input

  /// Handles an event while something is open.
  /// - Returns: `nil` when the event is not for what is open.
  func handle(_ event: InputEvent) -> Outcome? {
    if showsHelp {
      let isTaken = help.handle(event)
      if !showsHelp { onChange() }
      return isTaken ? .done : nil
    }
    guard overlay != nil else { return nil }
    switch event.kind {
    case .key(let key): return take(key, event)
    case .mouseDown:
      if !sheet.view.cellFrame.contains(x: Int(event.location.x), y: Int(event.location.y)) { close() }
    case .wheel(let ticks):
      scrollSelection(by: -3 * ticks)
      scrollLines(by: -3 * ticks)
    case .mouseDrag, .mouseMove, .mouseUp, .focusLost, .focusGained: break
    }
    return .done
  }

  /// Text from the clipboard, where there is a field to put it into.
  func paste(_ text: String) {
    switch overlay {
    case .palette(var palette):
      palette.insert(text)
      open(.palette(palette))
    case .prompt(var prompt):
      prompt.field.insert(text)
      prompt.problem = nil
      open(.prompt(prompt))
    case .question, .selection, .notification, .finding, .line, .columns, .formats, nil: break
    }
  }

  private func take(_ key: InputEvent.Key, _ event: InputEvent) -> Outcome {
    let command = keys.command(for: event)
    if event.modifiers.contains(.control), let command, [.quit, .redraw, .suspend].contains(command) {
      return .command(command)
    }
    if key == .escape || keys.closes(event) && !(overlay?.takesText ?? false) {
      closeTop()
      return .done
    }
    if let command, [.help, .redraw, .suspend, .releaseMouse].contains(command),
      !(overlay?.isAsking ?? false)
    {
      return .command(command)
    }
    switch overlay {
    case .palette(let palette): return take(key, event.modifiers, palette)
    case .prompt(let prompt): return take(key, event.modifiers, prompt)
    case .question(let question): return take(key, question)
    case .selection: return takeInSelection(command)
    case .notification(let id, _): return takeInNotification(command, id)
    case .finding: return takeInFinding(command)
    case .line: return takeInLine(command)
    case .columns(let chosen): return takeInColumns(key, command, chosen)
    case .formats(let chosen): return takeFormat(key, command, chosen)
    case nil: return .done
    }
  }

  private func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ palette: CommandPalette)
    -> Outcome
  {
    let found = entries(palette)
    if key == .enter {
      let chosen = found.indices.contains(palette.chosen) ? found[palette.chosen] : nil
      // An entry without a command says what is wrong with its argument.
      if let chosen, chosen.command == nil { return .done }
      close()
      return chosen?.command.map(Outcome.command) ?? .done
    }
    var palette = palette
    if palette.take(key, modifiers, among: found.count) { open(.palette(palette)) }
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
    case .exportSelection: return .command(.exportSelection)
    case .scroll(let rows): moveInSelection(by: rows)
    case .page(let pages): moveInSelection(by: pages * max(1, sheet.view.cellFrame.height - 4))
    case .halfPage(let halves): moveInSelection(by: halves * max(1, sheet.view.cellFrame.height / 2 - 2))
    case .scrollToStart: moveInSelection(by: -1_000_000_000)
    case .scrollToEnd: moveInSelection(by: 1_000_000_000)
    case .list, .choose: openNotification()
    case .dismiss: close()
    default: break
    }
    return .done
  }

  /// Closes what lies on top: an opened notification leaves the list that it was opened from.
  private func closeTop() {
    guard case .notification(_, let place) = overlay else { return close() }
    open(.selection(firstRow: 0, chosen: place))
    moveInSelection(by: 0)
  }

  private func openNotification() {
    guard let list = selectionList, let id = list.chosenID else { return }
    firstLine = 0
    open(.notification(id, place: list.chosen))
  }

  private func takeInNotification(_ command: Command?, _ id: SampleID) -> Outcome {
    switch command {
    case .copy: return .command(.copy)
    case .exportSelection: return .exportSamples([id])
    case .scroll(let rows): step(by: rows)
    case .page(let pages): scrollLines(by: pages * linesInView)
    case .halfPage(let halves): scrollLines(by: halves * max(1, linesInView / 2))
    case .nextNotification, .chooseNext: step(by: 1)
    case .previousNotification, .choosePrevious: step(by: -1)
    case .list, .choose, .dismiss: closeTop()
    default: break
    }
    return .done
  }

  private func takeInFinding(_ command: Command?) -> Outcome {
    switch command {
    case .copy: return .command(.copy)
    case .scroll(let rows): scrollLines(by: rows)
    case .page(let pages): scrollLines(by: pages * linesInView)
    case .halfPage(let halves): scrollLines(by: halves * max(1, linesInView / 2))
    case .scrollToStart: scrollLines(by: -ViewState.toEnd)
    case .scrollToEnd: scrollLines(by: ViewState.toEnd)
    case .list, .choose, .dismiss: close()
    default: break
    }
    return .done
  }

  private var linesInView: Int { NotificationModel.room(height: sheet.view.cellFrame.height) }

  private func scrollLines(by lines: Int) {
    let frame = sheet.view.cellFrame
    let most: Int
    switch overlay {
    case .notification(let id, _):
      most = notification(id).mostScroll(width: frame.width, height: frame.height)
    case .finding(let id): most = finding(id).mostScroll(width: frame.width, height: frame.height)
    default: return
    }
    firstLine = min(max(firstLine + lines, 0), most)
    sheet.view.invalidate()
  }

  /// Opens the next notification of the list.
  private func step(by rows: Int) {
    guard case .notification(_, let place) = overlay else { return }
    open(.selection(firstRow: 0, chosen: place))
    moveInSelection(by: rows)
    openNotification()
  }

  private func takeInLine(_ command: Command?) -> Outcome {
    switch command {
    case .copy, .chooseNext, .choosePrevious, .nextHit, .previousHit:
      return command.map(Outcome.command) ?? .done
    case .scroll(let rows): return .command(rows > 0 ? .chooseNext : .choosePrevious)
    case .wholeLine, .list, .dismiss: close()
    default: break
    }
    return .done
  }

  private func takeInColumns(_ key: InputEvent.Key, _ command: Command?, _ chosen: Int) -> Outcome {
    guard let chooser = columnChooser else { return .done }
    if key == .character(" ") || key == .enter {
      return chooser.columns.indices.contains(chosen) ? .toggleColumn(chooser.columns[chosen]) : .done
    }
    switch command {
    case .scroll(let rows): open(.columns(chosen: min(max(0, chosen + rows), chooser.columns.count - 1)))
    case .columns, .dismiss: close()
    default: break
    }
    return .done
  }

  /// Moves the chosen row and keeps it in view.
  private func moveInSelection(by rows: Int) {
    guard case .selection(let firstRow, let chosen) = overlay, let list = selectionList else { return }
    let place = min(max(0, chosen + rows), max(0, list.selection.count - 1))
    let room = max(1, list.room(height: sheet.view.cellFrame.height))
    let first = min(
      max(min(firstRow, place), place - room + 1), list.mostScroll(height: sheet.view.cellFrame.height))
    overlay = .selection(firstRow: first, chosen: place)
    sheet.view.invalidate()
  }

  private func scrollSelection(by rows: Int) {
    guard case .selection(let firstRow, let chosen) = overlay, let list = selectionList else { return }
    let most = list.mostScroll(height: sheet.view.cellFrame.height)
    overlay = .selection(firstRow: min(max(firstRow + rows, 0), most), chosen: chosen)
    sheet.view.invalidate()
  }

  private func takeFormat(_ key: InputEvent.Key, _ command: Command?, _ chosen: Int) -> Outcome {
    let formats = ViewFormat.allCases
    let named = formats.first { key == .character($0.key) }
    if let format = named ?? (key == .enter && formats.indices.contains(chosen) ? formats[chosen] : nil) {
      close()
      return .export(format)
    }
    switch command {
    case .scroll(let rows): open(.formats(chosen: min(max(0, chosen + rows), formats.count - 1)))
    case .exportView, .dismiss: close()
    default: break
    }
    return .done
  }
}
