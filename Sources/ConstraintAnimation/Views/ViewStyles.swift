/// How a view whose transform turns it is drawn on a grid that cannot turn.
public enum RotationStyle: Sendable, Hashable {
  /// Each cell on screen shows the cell of the unturned view it falls on: for pictures and plots.
  case sampled
  /// The angle is rounded to quarter turns and cells are moved one to one, so that text stays whole.
  case quarterTurns
}

/// Where backgrounds end.
public enum EdgeStyle: Sendable, Hashable {
  case wholeCells
  /// A moving vertical edge is drawn with eighths of a column, a moving horizontal one with eighths of a row.
  case eighths
}

/// Content size constraints: how firmly a view resists growing and shrinking, for each axis.
struct IntrinsicSize {
  var huggingX = LayoutPriority.defaultLow
  var huggingY = LayoutPriority.defaultLow
  var compressionX = LayoutPriority.defaultHigh
  var compressionY = LayoutPriority.defaultHigh
  /// Active constraints made from the intrinsic size.
  var width: [LayoutConstraint] = []
  var height: [LayoutConstraint] = []
}
