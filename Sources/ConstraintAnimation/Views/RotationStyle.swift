/// How a view whose transform turns it is drawn on a grid that cannot turn.
public enum RotationStyle: Sendable, Hashable {
  /// Each cell on screen shows the cell of the unturned view it falls on: for pictures and plots.
  case sampled
  /// The angle is rounded to quarter turns and cells are moved one to one, so that text stays whole.
  case quarterTurns
}
