import ConstraintAnimation

/// One screen of the gallery: views on a stage and what can be done with them.
///
/// A screen does not depend on a terminal. It is made on a stage that is already in a window, receives keys and the
/// pointer through recognizers, and is released with the stage.
protocol Screen: AnyObject {
  static var card: Card { get }

  init(on stage: Stage) throws

  /// What can be done, in the order in which it is shown.
  var controls: [Control] { get }

  /// One line about the current state.
  var status: String { get }

  /// Called on each frame, after the window has been advanced.
  func refresh()
}

extension Screen {
  func refresh() {}
}

/// A screen's name and description.
struct Card: Sendable {
  /// For the command line.
  let name: String
  let title: String
  /// One line: what to look at.
  let look: String
  /// The published texts whose behavior it shows, S1 to S5.
  let sources: [String]
}

/// All screens, in order.
enum Catalog {
  static var screens: [any Screen.Type] {
    [
      SlidingPanels.self, DraggablePages.self, SpringButton.self, Priorities.self, Groups.self,
      Distribution.self, Sandwich.self, Scrubbing.self, Gestures.self, Curves.self, Additive.self,
      Proportions.self, WholeCells.self, Conflicts.self, MotionLevels.self,
    ]
  }

  static var cards: [Card] { screens.map { $0.card } }

  static func index(of name: String) -> Int? { screens.firstIndex { $0.card.name == name } }
}

/// The view and window in which a screen builds its views.
struct Stage {
  let view: View
  let window: Window
  let palette: CommandPalette
}
