/// A rectangle of cells in a plot, from the cell where it was begun to the one where it is now.
struct PlotBox: Sendable, Hashable {
  let start: PlotPosition
  /// In the pane of `start`.
  var end: PlotPosition

  init(at place: PlotPosition) { (start, end) = (place, place) }

  var columns: ClosedRange<Int> { min(start.column, end.column)...max(start.column, end.column) }
  var rows: ClosedRange<Int> { min(start.y, end.y)...max(start.y, end.y) }

  /// A single cell is no box.
  var isEmpty: Bool { columns.count < 2 && rows.count < 2 }

  func contains(column: Int, y: Int) -> Bool { columns.contains(column) && rows.contains(y) }
}
