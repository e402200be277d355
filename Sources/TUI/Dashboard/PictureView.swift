import ConstraintAnimation

/// A view that shows a cached picture. The picture is made at the first drawing after a change and then only copied, as
/// while a panel slides.
final class PictureView: View {
  private var picture: CellPicture?

  /// Makes the picture for a width and a height in cells.
  var make: (Int, Int) -> CellPicture = { CellPicture(width: $0, height: $1) }

  /// Discards the picture.
  func invalidate() {
    picture = nil
    setNeedsDisplay()
  }

  /// Makes the picture again, and draws only if it has changed.
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
