/// One screen of the gallery: views on a stage and what can be done with them.
///
/// A screen knows nothing of terminals. It is made on a stage that is in a window already, hears of keys and the
/// pointer through recognizers, and goes when the stage goes.
protocol Screen: AnyObject {
  static var card: Card { get }

  init(on stage: Stage) throws

  /// What can be done, in the order in which it is shown.
  var controls: [Control] { get }

  /// A line that says what is going on.
  var status: String { get }

  /// Called on each frame, after the window has been advanced.
  func refresh()
}

extension Screen {
  func refresh() {}
}
