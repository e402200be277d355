import ConstraintAnimation

/// The first row of a panel: a horizontal line with titles in it, a space on either side of each.
enum TitleRow {
  /// A picture with nothing but the line.
  static func picture(width: Int, height: Int, _ appearance: Appearance) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    return picture
  }

  /// Titles, as many as a picture of this width has room for.
  static func fitted(_ left: [LineItem], right: [LineItem] = [], width: Int, middle: Int = 4) -> FittedLine {
    FittedLine(left: left, right: right, width: room(width), gap: 2, middle: middle)
  }

  /// Puts the groups of a line two columns from the left and from the right.
  static func add(_ line: FittedLine, to picture: inout CellPicture) {
    let space = TextSpan(" ", .plain)
    if line.leftColumns > 0 {
      picture.lines.append(
        CellPicture.Line(x: 1, y: 0, spans: [space] + line.left + [space], end: picture.width - 1))
    }
    if line.rightColumns > 0 {
      let x = max(1, picture.width - line.rightColumns - 3)
      picture.lines.append(
        CellPicture.Line(x: x, y: 0, spans: [space] + line.right + [space], end: picture.width))
    }
  }

  /// Columns for a fitted line in a picture of this width.
  static func room(_ width: Int) -> Int { width - 6 }
}
