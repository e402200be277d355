import ConstraintAnimation

/// A hidden view in the middle of the window, of a size that is set.
final class CenteredSheet {
  let view: PictureView
  private let width: LayoutConstraint
  private let height: LayoutConstraint

  init(identifier: String) {
    view = PictureView(identifier: identifier)
    view.isHidden = true
    width = view.widthAnchor.constraint(equalToConstant: 0)
    height = view.heightAnchor.constraint(equalToConstant: 0)
  }

  func install(in root: View) throws(LayoutError) {
    root.addSubview(view)
    try LayoutConstraint.activate([
      width, height, view.centerXAnchor.constraint(equalTo: root.centerXAnchor),
      view.centerYAnchor.constraint(equalTo: root.centerYAnchor),
    ])
  }

  func setSize(_ size: CellSize) {
    width.constant = Double(size.width)
    height.constant = Double(size.height)
  }
}

/// The frame of an overlay, with a title in its upper edge and a hint in the lower one.
struct SheetFrame {
  let title: [TextSpan]
  let hint: [TextSpan]
  let appearance: Appearance

  /// Keys and what each does.
  static func hint(_ keys: [(key: String, text: String)], _ appearance: Appearance) -> [TextSpan] {
    keys.enumerated().flatMap { place, hint in
      [
        TextSpan(hint.key, appearance(.key)),
        TextSpan(" \(hint.text)\(place < keys.count - 1 ? "  " : "")", appearance(.secondary)),
      ]
    }
  }

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
