/// All screens in their order.
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
