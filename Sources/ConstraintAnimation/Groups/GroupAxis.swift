/// Which way a group lines up its children.
public enum GroupAxis: Sendable, Hashable {
  case horizontal, vertical
}
