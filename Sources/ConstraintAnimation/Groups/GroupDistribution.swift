/// What becomes of the cells that do not come out even.
public enum GroupDistribution: Sendable, Hashable {
  /// Edges are rounded: equal shares differ by at most one cell.
  case proportional
  /// Sizes are whole; what is left over goes to the last child of flexible or percentage size.
  case exactThenRemainderLast
}
