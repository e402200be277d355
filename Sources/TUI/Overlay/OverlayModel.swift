import ConstraintAnimation

/// Palette, prompts and questions as cells: a box with lines in it.
struct OverlayModel {
  enum Content {
    case palette(CommandPalette, [PaletteEntry])
    case prompt(Prompt)
    case question(Question)
  }

  let content: Content
  let appearance: Appearance

  private static let mostColumns = 66
  private static let mostCommands = 12

  /// Columns and rows of the box within a terminal of this size.
  func size(fitting width: Int, _ height: Int) -> (width: Int, height: Int) {
    let columns = min(Self.mostColumns, max(10, width - 4))
    return (columns, min(height, lines(width: columns, room: height - 2).count + 2))
  }

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    guard width > 4, height > 2 else { return picture }
    SheetFrame(title: [TextSpan(title, appearance(.strong))], hint: [], appearance: appearance).draw(&picture)
    for (row, spans) in lines(width: width, room: height - 2).prefix(height - 2).enumerated() {
      picture.lines.append(CellPicture.Line(x: 2, y: row + 1, spans: spans, end: width - 1))
    }
    return picture
  }

  private var title: String {
    switch content {
    case .palette: "commands"
    case .prompt(let prompt): prompt.title
    case .question(let question): question.title
    }
  }

  private func lines(width: Int, room: Int) -> [[TextSpan]] {
    let inner = max(1, width - 4)
    switch content {
    case .palette(let palette, let entries):
      return paletteLines(palette, entries, inner: inner, room: room)
    case .prompt(let prompt):
      let below =
        prompt.problem.map { (text: $0, role: Role.warning) } ?? (text: prompt.hint, role: .secondary)
      let wrapped = NoticeModel.wrapped(below.text, columns: inner)
      return [field(prompt.field, inner: inner), []]
        + wrapped.map { [TextSpan($0, appearance(below.role))] }
        + [[], [key("Enter"), words(" confirms   "), key("Esc"), words(" cancels")]]
    case .question(let question):
      let body = question.body.flatMap { NoticeModel.wrapped($0, columns: inner) }
      return body.map { [TextSpan($0, appearance(.text))] }
        + [[], [key("y"), words(" yes   "), key("n"), words(" no")]]
    }
  }

  private func key(_ text: String) -> TextSpan { TextSpan(text, appearance(.key)) }

  private func words(_ text: String) -> TextSpan { TextSpan(text, appearance(.secondary)) }

  private func paletteLines(
    _ palette: CommandPalette, _ found: [PaletteEntry], inner: Int, room: Int
  ) -> [[TextSpan]] {
    let most = max(1, min(Self.mostCommands, room - 2))
    let chosen = min(max(palette.chosen, 0), max(0, found.count - 1))
    // What is wrong with an argument stands first, and may take several rows.
    let top = found.first.map { rows(of: $0, isChosen: chosen == 0, inner: inner).count } ?? 1
    let shown = max(1, most - top + 1)
    let first = max(0, min(chosen - shown / 2, found.count - shown))
    var lines = [field(palette.field, inner: inner), []]
    if found.isEmpty { lines.append([TextSpan("no command matches", appearance(.secondary))]) }
    for (offset, entry) in found.dropFirst(first).prefix(shown).enumerated() {
      lines += rows(of: entry, isChosen: first + offset == chosen, inner: inner)
    }
    // The box keeps its size while it is typed into.
    while lines.count < most + 2 { lines.append([]) }
    return lines
  }

  private func rows(of entry: PaletteEntry, isChosen: Bool, inner: Int) -> [[TextSpan]] {
    let mark = isChosen ? "> " : "  "
    let room = max(1, inner - mark.count)
    guard entry.command != nil else {
      return NoticeModel.wrapped(entry.title, columns: room).enumerated().map { place, part in
        [TextSpan((place == 0 ? mark : "  ") + part, appearance(.warning))]
      }
    }
    let keys = keys(of: entry, columns: room - entry.title.count)
    let title = FittedText.field(
      entry.title, columns: max(1, room - keys.count), ellipsis: appearance.glyphs.ellipsis)
    return [
      [
        TextSpan(mark + title, appearance(isChosen ? .strong : .text)),
        TextSpan(keys, appearance(isChosen ? .accent : .secondary)),
      ]
    ]
  }

  /// The first key of a command behind two blanks, and the further ones that fit beside its title.
  private func keys(of entry: PaletteEntry, columns: Int) -> String {
    let labels = entry.strokes.map { appearance.isASCII ? $0.plainLabel : $0.label }
    guard var keys = labels.first.map({ "  \($0)" }) else { return "" }
    for label in labels.dropFirst() where keys.count + 1 + label.count <= columns { keys += " \(label)" }
    return keys
  }

  /// The text, scrolled to the cursor, which is drawn in reverse.
  private func field(_ field: TextField, inner: Int) -> [TextSpan] {
    // `> ` takes two columns.
    let room = max(1, inner - 2)
    let all = Array(field.string)
    let widths = all.map { TextSpan(String($0), .plain).columns }
    let under = field.cursor < all.count ? widths[field.cursor] : 1
    var start = field.cursor
    var used = under
    while start > 0, used + widths[start - 1] <= room {
      start -= 1
      used += widths[start]
    }
    var end = min(field.cursor + 1, all.count)
    while end < all.count, used + widths[end] <= room {
      used += widths[end]
      end += 1
    }
    let cursor = field.cursor < all.count ? String(all[field.cursor]) : " "
    return [
      TextSpan("> ", appearance(.accent)), TextSpan(String(all[start..<field.cursor]), appearance(.text)),
      TextSpan(cursor, CellStyle(attributes: .reverse)),
      TextSpan(String(all[min(field.cursor + 1, end)..<end]), appearance(.text)),
    ]
  }
}

/// The choice of a format to write the view in: a key for each, and Enter for the chosen one.
struct ExportChooserModel {
  /// Index of the chosen line.
  let chosen: Int
  let appearance: Appearance

  static let width = 48
  static let height = ViewFormat.allCases.count + 2

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    SheetFrame(
      title: [TextSpan("export the view", appearance(.strong))],
      hint: [
        TextSpan("Enter", appearance(.key)), TextSpan(" writes  ", appearance(.secondary)),
        TextSpan("Esc", appearance(.key)), TextSpan(" closes", appearance(.secondary)),
      ],
      appearance: appearance
    ).draw(&picture)
    for (row, format) in ViewFormat.allCases.enumerated() {
      picture.lines.append(
        CellPicture.Line(
          x: 2, y: 1 + row,
          spans: [
            TextSpan(row == chosen ? "> " : "  ", appearance(.accent)),
            TextSpan("\(format.key)  ", appearance(.key)),
            TextSpan(format.text, appearance(row == chosen ? .strong : .text)),
          ], end: width - 1))
    }
    return picture
  }
}

/// The frame of an overlay, with a title in its upper edge and a hint in the lower one.
struct SheetFrame {
  let title: [TextSpan]
  let hint: [TextSpan]
  let appearance: Appearance

  /// Says how many lines are not in view, below or else above.
  static func scrollHint(below: Int, above: Int, _ appearance: Appearance) -> [TextSpan] {
    guard below + above > 0 else { return [] }
    return [
      TextSpan(below > 0 ? "PgDn" : "PgUp", appearance(.key)),
      TextSpan(" \(below > 0 ? below : above) more  ", appearance(.warning)),
    ]
  }

  func draw(_ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let style = appearance(.secondary)
    let (right, bottom) = (picture.width - 1, picture.height - 1)
    guard right > 0, bottom > 0 else { return }
    for y in [0, bottom] { picture.row(glyphs.horizontal, x: 0, y: y, count: picture.width, style: style) }
    for y in 0...bottom {
      picture.set(glyphs.vertical, x: 0, y: y, style: style)
      picture.set(glyphs.vertical, x: right, y: y, style: style)
    }
    picture.set(glyphs.upperLeft, x: 0, y: 0, style: style)
    picture.set(glyphs.upperRight, x: right, y: 0, style: style)
    picture.set(glyphs.lowerLeft, x: 0, y: bottom, style: style)
    picture.set(glyphs.lowerRight, x: right, y: bottom, style: style)
    let space = TextSpan(" ", .plain)
    picture.lines.append(CellPicture.Line(x: 2, y: 0, spans: [space] + title + [space], end: right - 1))
    guard !hint.isEmpty else { return }
    picture.lines.append(CellPicture.Line(x: 2, y: bottom, spans: [space] + hint + [space], end: right - 1))
  }
}
