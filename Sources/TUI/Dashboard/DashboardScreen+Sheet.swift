import ConstraintAnimation
import Measurement

/// What the plots put on top: the list of what is selected, the choice of a format.
extension DashboardScreen {
  func buildSheet() throws(LayoutError) {
    sheetSize = [
      sheet.widthAnchor.constraint(equalToConstant: 0), sheet.heightAnchor.constraint(equalToConstant: 0),
    ]
    try LayoutConstraint.activate(
      sheetSize + [
        sheet.centerXAnchor.constraint(equalTo: window.root.centerXAnchor),
        sheet.centerYAnchor.constraint(equalTo: window.root.centerYAnchor),
      ])
    sheet.isHidden = true
    sheet.make = { [unowned self] in self.sheetPicture(width: $0, height: $1) }
  }

  private func sheetPicture(width: Int, height: Int) -> CellPicture {
    switch state.plot.sheet {
    case .selection:
      selectionList?.picture(width: width, height: height) ?? CellPicture(width: width, height: height)
    case .export: ExportChooserModel(appearance: appearance).picture(width: width, height: height)
    case nil: CellPicture(width: width, height: height)
    }
  }

  private var selectionList: SelectionListModel? {
    guard case .selection(let firstRow) = state.plot.sheet, let selection = state.plot.selection else {
      return nil
    }
    return SelectionListModel(
      selection: selection, snapshot: shown, firstRow: firstRow, appearance: appearance, zone: zone)
  }

  func open(_ sheet: Sheet) {
    guard currentNotice == nil else { return }
    state.plot.sheet = sheet
    fitSheet()
    self.sheet.isHidden = false
  }

  func close() {
    state.plot.sheet = nil
    sheet.isHidden = true
    window.root.setNeedsDisplay()
  }

  /// As large as it needs to be, in the middle.
  func fitSheet() {
    let (width, height) = (Int(window.size.width), Int(window.size.height))
    let size: (width: Int, height: Int)
    switch state.plot.sheet {
    case .selection: size = selectionList?.size(fitting: width, height) ?? (0, 0)
    case .export: size = (ExportChooserModel.width, ExportChooserModel.height)
    case nil: return
    }
    sheetSize[0].constant = Double(size.width)
    sheetSize[1].constant = Double(size.height)
    window.performWithoutAnimation { window.layoutIfNeeded() }
    sheet.invalidate()
  }

  /// Keys and the mouse while something lies on top.
  /// - Returns: `nil` when the event is not for it.
  func handleOnSheet(_ event: InputEvent) -> Effect?? {
    guard let open = state.plot.sheet, !state.showsHelp else { return nil }
    switch event.kind {
    case .key(.character(let character)):
      guard open == .export, let format = ViewFormat.allCases.first(where: { $0.key == character }) else {
        return nil
      }
      close()
      update()
      return .some(.export(.view(format)))
    case .wheel(let ticks):
      scrollSheet(by: -3 * ticks)
      return .some(nil)
    case .mouseDown:
      if !sheet.cellFrame.contains(x: Int(event.location.x), y: Int(event.location.y)) {
        close()
        update()
      }
      return .some(nil)
    case .mouseDrag, .mouseMove, .mouseUp: return .some(nil)
    case .key, .focusLost, .focusGained: return nil
    }
  }

  /// Takes what scrolls, and what would change things underneath.
  func isTakenBySheet(_ command: Command) -> Bool {
    guard let open = state.plot.sheet, !state.showsHelp else { return false }
    switch command {
    case .quit, .help, .redraw, .suspend, .releaseMouse, .dismiss, .plot(.exportSelection): return false
    case .scroll(let rows): scrollSheet(by: rows)
    case .page(let pages): scrollSheet(by: pages * max(1, sheet.cellFrame.height - 4))
    case .scrollToStart: scrollSheet(by: -1_000_000_000)
    case .scrollToEnd: scrollSheet(by: 1_000_000_000)
    case .plot(.list) where open != .export, .plot(.exportView) where open == .export:
      close()
      update()
    default: break
    }
    return true
  }

  private func scrollSheet(by rows: Int) {
    guard case .selection(let firstRow) = state.plot.sheet, let list = selectionList else { return }
    let most = list.mostScroll(height: sheet.cellFrame.height)
    state.plot.sheet = .selection(firstRow: min(max(firstRow + rows, 0), most))
    sheet.invalidate()
  }
}
