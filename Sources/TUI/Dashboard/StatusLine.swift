import ConstraintAnimation

/// The last line: hints at keys, or a message in their place, and the cost of a frame.
final class StatusLine {
  let view = PictureView(identifier: "footer")
  private var message: FooterMessage?
  private var cost: FrameCost?

  init(source: @escaping ScreenSource) {
    view.make = { [unowned self] width, _ in
      let context = source().context
      return FooterModel(
        keys: context.options.keys, cost: self.cost, message: self.message, isCovered: context.isCovered,
        appearance: context.appearance
      ).picture(width: width)
    }
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

  func setCost(_ cost: FrameCost) {
    guard cost != self.cost else { return }
    self.cost = cost
    view.invalidate()
  }

  /// When the message goes by itself; `nil` when it does not.
  var deadline: MotionTime? { message?.until }

  func advance(to time: MotionTime) {
    if let deadline, deadline <= time { show(nil) }
  }
}
