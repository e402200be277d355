/// Where backgrounds end.
public enum EdgeStyle: Sendable, Hashable {
  case wholeCells
  /// A moving vertical edge is drawn with eighths of a column, a moving horizontal one with eighths of a row.
  case eighths
}
