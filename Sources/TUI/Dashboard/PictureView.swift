import ConstraintAnimation

/// A view that shows ready cells. They are made when it is first drawn after a change, for the size it then has, and
/// kept: while a panel slides, its picture is only copied.
final class PictureView: View {
  private var picture: CellPicture?

  /// Makes the picture for a width and a height in cells.
  var make: (Int, Int) -> CellPicture = { CellPicture(width: $0, height: $1) }

  /// Has the picture made anew.
  func invalidate() {
    picture = nil
    setNeedsDisplay()
  }

  /// The same for pictures that often come out as they were: nothing is drawn then.
  func refresh() {
    guard let old = picture else { return invalidate() }
    let new = make(old.width, old.height)
    guard new != old else { return }
    picture = new
    setNeedsDisplay()
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    let shown: CellPicture
    if let picture, picture.width == rect.width, picture.height == rect.height {
      shown = picture
    } else {
      shown = make(rect.width, rect.height)
      picture = shown
    }
    shown.draw(on: canvas, x: rect.x0, y: rect.y0)
  }
}
