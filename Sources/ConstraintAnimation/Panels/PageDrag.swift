/// A drag of the pages in progress.
struct PageDrag {
  var axis: TransitionAxis
  /// Of the active page from its place, along the axis.
  var offset: Double
  /// Of the active page across the axis: what a slide left when the drag caught it.
  var across: Double
  var previous: Double

  var displacement: Vector {
    axis == .horizontal ? Vector(dx: offset, dy: across) : Vector(dx: across, dy: offset)
  }
}
