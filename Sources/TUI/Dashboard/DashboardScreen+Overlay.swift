import ConstraintAnimation

/// What lies on top and has the keys: opening, closing, drawing it.
extension DashboardScreen {
  func open(_ overlay: Overlay) {
    if state.showsHelp { showHelp(false) }
    state.overlay = overlay
    sheet.isHidden = false
    footer.invalidate()
    fitOverlay()
  }

  func closeOverlay() {
    state.overlay = nil
    sheet.isHidden = true
    footer.invalidate()
  }

  /// As large as it needs to be, in the middle.
  func fitOverlay() {
    let (width, height) = (Int(window.size.width), Int(window.size.height))
    let size: (width: Int, height: Int)
    switch state.overlay {
    case .palette, .prompt, .question: size = dialog?.size(fitting: width, height) ?? (0, 0)
    case .selection: size = selectionList?.size(fitting: width, height) ?? (0, 0)
    case .formats: size = (ExportChooserModel.width, ExportChooserModel.height)
    case nil: return
    }
    sheetSize[0].constant = Double(size.width)
    sheetSize[1].constant = Double(size.height)
    window.performWithoutAnimation { window.layoutIfNeeded() }
    sheet.invalidate()
  }

  func overlayPicture(width: Int, height: Int) -> CellPicture {
    let picture: CellPicture? =
      switch state.overlay {
      case .palette, .prompt, .question: dialog?.picture(width: width, height: height)
      case .selection: selectionList?.picture(width: width, height: height)
      case .formats: ExportChooserModel(appearance: appearance).picture(width: width, height: height)
      case nil: nil
      }
    return picture ?? CellPicture(width: width, height: height)
  }

  private var dialog: OverlayModel? {
    let content: OverlayModel.Content
    switch state.overlay {
    case .palette(let palette): content = .palette(palette)
    case .prompt(let prompt): content = .prompt(prompt)
    case .question(let question): content = .question(question)
    case .selection, .formats, nil: return nil
    }
    return OverlayModel(content: content, keys: keys, appearance: appearance)
  }

  var selectionList: SelectionListModel? {
    guard case .selection(let firstRow) = state.overlay, let selection = state.plot.selection else {
      return nil
    }
    return SelectionListModel(
      selection: selection, snapshot: shown, firstRow: firstRow, appearance: appearance, zone: zone)
  }
}
