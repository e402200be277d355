/// What the pointer does between press and release.
enum PointerDrag: Sendable, Hashable {
  /// In the plot. Rows and columns are counted from where it was last.
  case plot(DragAction, last: PlotPosition, hasMoved: Bool)
  /// In the panel: a click when it is released where it was pressed.
  case panel(x: Int, y: Int)
}
