import ConstraintAnimation

/// A view that shows a cached picture. The picture is made at the first drawing after a change and then only copied, as
/// while a panel slides.
final class PictureView: View {
  private var picture: CellPicture?

  /// Makes the picture for a width and a height in cells.
  var make: (Int, Int) -> CellPicture = { CellPicture(width: $0, height: $1) }

  /// The picture is to be made when the view is drawn next.
  var needsPicture: Bool { picture == nil }

  /// Discards the picture.
  func invalidate() {
    picture = nil
    setNeedsDisplay()
  }

  /// Changes the picture in its place, and draws what has changed.
  /// - Parameter change: returns which cells may look different.
  func revise(_ change: (inout CellPicture) -> CellRegion) {
    let size = cellFrame
    // One of another size is made anew when it is drawn.
    guard var revised = picture, revised.width == size.width, revised.height == size.height else {
      return invalidate()
    }
    // With a single owner it is changed in its place.
    picture = nil
    let region = change(&revised)
    picture = revised
    for part in region.rects { setNeedsDisplay(in: part) }
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

/// The last line: hints at keys, or a message in their place, and the cost of a frame.
final class StatusLine {
  let view = PictureView(identifier: "footer")
  private var message: FooterMessage?
  private var mode = FooterMode.panel(.histogram)
  private var cost: FrameCost?

  init(_ model: ScreenModel) {
    view.make = { [unowned self, unowned model] width, _ in
      let (state, context) = (model.state, model.context)
      return FooterModel(
        keys: context.options.keys, cost: state.showsFrameCost ? self.cost : nil, message: self.message,
        isCovered: context.isCovered, mode: FooterMode(state), appearance: context.appearance
      ).picture(width: width)
    }
  }

  /// Draws the hints anew where they are for something else.
  func follow(_ state: ViewState) {
    let mode = FooterMode(state)
    guard mode != self.mode else { return }
    self.mode = mode
    view.invalidate()
  }

  /// Shows a message until its time, or until the next key; `nil` removes the one that is shown.
  func show(_ message: FooterMessage?) {
    guard message != self.message else { return }
    self.message = message
    view.invalidate()
  }

  /// Shows a message for a few seconds.
  func say(_ text: String, _ role: Role = .accent, at time: MotionTime) {
    show(FooterMessage(text: text, role: role, until: time + FooterMessage.stay))
  }

  /// - Parameter isShown: it is on display.
  func setCost(_ cost: FrameCost, isShown: Bool) {
    guard cost != self.cost else { return }
    self.cost = cost
    if isShown { view.invalidate() }
  }

  /// When the message goes by itself; `nil` when it does not.
  var deadline: MotionTime? { message?.until }

  func advance(to time: MotionTime) {
    if let deadline, deadline <= time { show(nil) }
  }
}
