import ConstraintAnimation

/// The frame of what lies on top, with a title in its upper edge and a hint in its lower one.
struct SheetFrame {
  let title: [TextSpan]
  let hint: [TextSpan]
  let appearance: Appearance

  init(title: [TextSpan], hint: [TextSpan], appearance: Appearance) {
    self.title = title
    self.hint = hint
    self.appearance = appearance
  }

  /// With a plain title and no hint.
  init(title: String, _ appearance: Appearance) {
    self.init(title: [TextSpan(title, appearance(.strong))], hint: [], appearance: appearance)
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
