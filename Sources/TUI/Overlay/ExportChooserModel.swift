import ConstraintAnimation

/// How the view is to be written: one key a format.
struct ExportChooserModel {
  let appearance: Appearance

  static let width = 46
  static let height = ViewFormat.allCases.count + 2

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    SheetFrame(
      title: [TextSpan("write what is seen", appearance(.strong))],
      hint: [TextSpan("Esc", appearance(.key)), TextSpan(" closes", appearance(.secondary))],
      appearance: appearance
    ).draw(&picture)
    for (row, format) in ViewFormat.allCases.enumerated() {
      picture.lines.append(
        CellPicture.Line(
          x: 2, y: 1 + row,
          spans: [
            TextSpan(" \(format.key)  ", appearance(.key)), TextSpan(format.text, appearance(.text)),
          ], end: width - 1))
    }
    return picture
  }
}
