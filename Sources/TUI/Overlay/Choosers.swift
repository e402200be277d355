import ConstraintAnimation

/// The choice of a format to write the view in: a key for each, and Enter for the chosen one.
struct ExportChooser: Overlay {
  /// Index of the chosen line.
  private(set) var chosen = 0

  var showsData: Bool { false }

  func size(in scene: OverlayScene) -> CellSize { (48, ViewFormat.allCases.count + 2) }

  func picture(in scene: OverlayScene) -> CellPicture {
    let lines = ViewFormat.allCases.map { format in
      [TextSpan("\(format.key)  ", scene.appearance(.key)), TextSpan(format.text, scene.appearance(.text))]
    }
    return scene.menu(
      "export the view", lines, chosen: chosen, hint: [("Enter", "writes"), ("Esc", "closes")])
  }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    let formats = ViewFormat.allCases
    if let format = formats.first(where: { input.key == .character($0.key) }) {
      return .close(.host(.exportView(format)))
    }
    if input.key == .enter { return .close(.host(.exportView(formats[chosen]))) }
    switch input.command {
    case .scroll(let rows): chosen = min(max(0, chosen + rows), formats.count - 1)
    case .exportView: return .close()
    default: break
    }
    return .stay()
  }
}

/// The choice of the columns of a table.
struct ColumnChooser: Overlay {
  /// Index of the chosen line.
  private(set) var chosen = 0

  /// Titles of all columns of the active panel, in their order.
  private func columns(in scene: OverlayScene) -> [String] { scene.context.columns(scene.state) }

  func size(in scene: OverlayScene) -> CellSize {
    (min(scene.terminal.width - 4, 46), min(scene.terminal.height - 2, columns(in: scene).count + 2))
  }

  func picture(in scene: OverlayScene) -> CellPicture {
    let hidden = scene.state.tables.hiddenColumns[scene.state.panel] ?? []
    let lines = columns(in: scene).map { title in
      [
        TextSpan(hidden.contains(title) ? "[ ] " : "[x] ", scene.appearance(.key)),
        TextSpan(title, scene.appearance(.text)),
      ]
    }
    return scene.menu(
      "columns", lines, chosen: chosen, hint: [("Space", "shows or hides"), ("Esc", "closes")])
  }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    let columns = columns(in: scene)
    if input.key == .character(" ") || input.key == .enter {
      return .stay(columns.indices.contains(chosen) ? .input(.toggleColumn(columns[chosen])) : .done)
    }
    switch input.command {
    case .scroll(let rows): chosen = min(max(0, chosen + rows), columns.count - 1)
    case .columns: return .close()
    default: break
    }
    return .stay()
  }
}

extension OverlayScene {
  /// A sheet with lines of which one is chosen and kept in view. The last span of the chosen line is emphasized.
  fileprivate func menu(
    _ title: String, _ lines: [[TextSpan]], chosen: Int, hint: [(key: String, text: String)]
  ) -> CellPicture {
    var picture = CellPicture(width: sheet.width, height: sheet.height)
    SheetFrame(
      title: [TextSpan(title, appearance(.strong))], hint: SheetFrame.hint(hint, appearance),
      appearance: appearance
    ).draw(&picture)
    let room = max(0, sheet.height - 2)
    let first = max(0, min(chosen - room / 2, lines.count - room))
    for (row, line) in lines.enumerated().dropFirst(first).prefix(room) {
      var spans = [TextSpan(row == chosen ? "> " : "  ", appearance(.accent))] + line
      if row == chosen { spans[spans.count - 1].style = appearance(.strong) }
      picture.lines.append(CellPicture.Line(x: 2, y: 1 + row - first, spans: spans, end: sheet.width - 1))
    }
    return picture
  }
}
