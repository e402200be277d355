import ConstraintAnimation

/// Titles that stand in a horizontal line, with a blank on either side.
enum TitleRow {
  /// Puts a line's groups two columns from the left and from the right.
  static func add(_ line: FittedLine, to picture: inout CellPicture, y: Int = 0) {
    let space = TextSpan(" ", .plain)
    if line.leftColumns > 0 {
      picture.lines.append(
        CellPicture.Line(x: 1, y: y, spans: [space] + line.left + [space], end: picture.width - 1))
    }
    if line.rightColumns > 0 {
      let x = max(1, picture.width - line.rightColumns - 3)
      picture.lines.append(
        CellPicture.Line(x: x, y: y, spans: [space] + line.right + [space], end: picture.width))
    }
  }

  /// Columns a fitted line may take in a picture of this width.
  static func room(_ width: Int) -> Int { width - 6 }
}
