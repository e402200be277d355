/// Where a page goes.
public enum SlideDirection: Sendable, Hashable, CaseIterable {
  case left, right, up, down

  var axis: TransitionAxis {
    switch self {
    case .left, .right: .horizontal
    case .up, .down: .vertical
    }
  }

  /// One step in window coordinates.
  var step: Slot {
    switch self {
    case .left: Slot(x: -1, y: 0)
    case .right: Slot(x: 1, y: 0)
    case .up: Slot(x: 0, y: -1)
    case .down: Slot(x: 0, y: 1)
    }
  }
}
