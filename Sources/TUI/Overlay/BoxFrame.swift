/// The frame around what lies on top.
enum BoxFrame {
  static func draw(_ picture: inout CellPicture, title: String, _ appearance: Appearance) {
    let glyphs = appearance.glyphs
    let style = appearance(.secondary)
    let (right, bottom) = (picture.width - 1, picture.height - 1)
    for y in [0, bottom] { picture.row(glyphs.horizontal, x: 0, y: y, count: picture.width, style: style) }
    for y in 0...max(0, bottom) {
      picture.set(glyphs.vertical, x: 0, y: y, style: style)
      picture.set(glyphs.vertical, x: right, y: y, style: style)
    }
    picture.set(glyphs.upperLeft, x: 0, y: 0, style: style)
    picture.set(glyphs.upperRight, x: right, y: 0, style: style)
    picture.set(glyphs.lowerLeft, x: 0, y: bottom, style: style)
    picture.set(glyphs.lowerRight, x: right, y: bottom, style: style)
    picture.lines.append(
      CellPicture.Line(x: 2, y: 0, spans: [TextSpan(" \(title) ", appearance(.strong))], end: right))
  }
}
