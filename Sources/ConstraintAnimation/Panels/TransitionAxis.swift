/// The line pages move along.
public enum TransitionAxis: Sendable, Hashable, CaseIterable {
  case horizontal, vertical
}
