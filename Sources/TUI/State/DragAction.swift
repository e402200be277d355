/// What a drag in the plot does.
enum DragAction: Sendable, Hashable, CaseIterable {
  /// Moves the window, as if the paper were held.
  case pan
  /// Shows what is in the box, larger.
  case zoom
  /// Selects what is in the box.
  case select

  var next: DragAction {
    switch self {
    case .pan: .zoom
    case .zoom: .select
    case .select: .pan
    }
  }

  var name: String {
    switch self {
    case .pan: "pans"
    case .zoom: "zooms to a box"
    case .select: "selects a box"
    }
  }
}
