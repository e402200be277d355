import ConstraintAnimation

/// Everything that is known of one thing, as a sheet of names and values.
struct DetailModel {
  enum Row {
    case heading(String)
    /// A value that wraps behind its name.
    case field(String, String)
    /// A line as it is behind its name.
    case line(String, [TextSpan])
  }

  let title: [TextSpan]
  let rows: [Row]
  /// Keys and what each does.
  let hint: [(key: String, text: String)]
  let mostColumns: Int
  let nameColumns: Int
  /// Blanks behind the names.
  var gap = 2
  /// Whether lines that are not in view can be reached.
  var scrolls = true
  let appearance: Appearance

  func size(fitting terminal: CellSize) -> CellSize {
    let width = min(mostColumns, max(10, terminal.width - 4))
    return (width, min(terminal.height - 2, lines(width: width).count + 2))
  }

  /// Lines that a sheet of this height has room for.
  static func room(height: Int) -> Int { max(1, height - 2) }

  /// The largest scroll offset in a sheet of this size.
  func mostScroll(_ sheet: CellSize) -> Int {
    max(0, lines(width: sheet.width).count - Self.room(height: sheet.height))
  }

  /// - Parameter firstLine: the first line in view, where not all fit.
  func picture(_ sheet: CellSize, from firstLine: Int = 0) -> CellPicture {
    let (width, height) = sheet
    var picture = CellPicture(width: width, height: height)
    guard width > 30, height > 2 else { return picture }
    let lines = lines(width: width)
    let most = mostScroll(sheet)
    let first = min(max(firstLine, 0), most)
    SheetFrame(
      title: title(columns: width - 8),
      hint: (scrolls ? SheetFrame.scrollHint(below: most - first, above: first, appearance) : [])
        + SheetFrame.hint(hint, appearance), appearance: appearance
    ).draw(&picture)
    for (row, spans) in lines.dropFirst(first).prefix(Self.room(height: height)).enumerated() {
      picture.lines.append(CellPicture.Line(x: 2, y: row + 1, spans: spans, end: width - 1))
    }
    return picture
  }

  /// The title, of which the end gives way.
  private func title(columns: Int) -> [TextSpan] {
    var spans = title
    guard let last = spans.popLast() else { return spans }
    let room = columns - spans.reduce(0) { $0 + $1.columns }
    let text = FittedText.truncated(last.text, columns: max(0, room), ellipsis: appearance.glyphs.ellipsis)
    return spans + [TextSpan(text, last.style)]
  }

  private func lines(width: Int) -> [[TextSpan]] {
    let room = max(10, width - 4 - nameColumns - gap)
    return rows.flatMap { row in
      switch row {
      case .heading(let text): [[TextSpan(text, appearance(.strong))]]
      case .line(let name, let spans): [[label(name)] + spans]
      case .field(let name, let value):
        FittedText.wrapped(value, columns: room).enumerated().map { place, part in
          [label(place == 0 ? name : ""), TextSpan(part, appearance(.text))]
        }
      }
    }
  }

  private func label(_ name: String) -> TextSpan {
    let text = FittedText.field(name, columns: nameColumns, ellipsis: appearance.glyphs.ellipsis)
    return TextSpan(text + String(repeating: " ", count: gap), appearance(.secondary))
  }
}

/// An overlay with everything that is known of one thing.
protocol DetailSheet: Overlay {
  /// The first line in view.
  var firstLine: Int { get set }

  func details(in context: ScreenContext) -> DetailModel
}

extension DetailSheet {
  func size(in scene: OverlayScene) -> CellSize { details(in: scene.context).size(fitting: scene.terminal) }

  func picture(in scene: OverlayScene) -> CellPicture {
    details(in: scene.context).picture(scene.sheet, from: firstLine)
  }

  mutating func scroll(by lines: Int, in scene: OverlayScene) {
    firstLine = min(max(firstLine + lines, 0), details(in: scene.context).mostScroll(scene.sheet))
  }

  /// Handles a key that scrolls by pages.
  mutating func turnPages(_ command: Command?, in scene: OverlayScene) {
    let room = DetailModel.room(height: scene.sheet.height)
    switch command {
    case .page(let pages): scroll(by: pages * room, in: scene)
    case .halfPage(let halves): scroll(by: halves * max(1, room / 2), in: scene)
    default: break
    }
  }
}
