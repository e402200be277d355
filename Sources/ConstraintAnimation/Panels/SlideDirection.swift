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

/// The line pages move along.
public enum TransitionAxis: Sendable, Hashable, CaseIterable {
  case horizontal, vertical
}

/// A place in the endless plane of pages around a host, in whole pages; (0, 0) is what shows.
struct Slot: Hashable, Sendable {
  var x: Int
  var y: Int

  static let center = Slot(x: 0, y: 0)

  static func + (left: Slot, right: Slot) -> Slot { Slot(x: left.x + right.x, y: left.y + right.y) }
  static func - (left: Slot, right: Slot) -> Slot { Slot(x: left.x - right.x, y: left.y - right.y) }
}
