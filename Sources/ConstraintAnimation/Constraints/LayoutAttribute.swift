/// The edge, size or center of an item that a constraint speaks of.
public enum LayoutAttribute: UInt8, Sendable, Hashable, CaseIterable {
  case leading, trailing, top, bottom, width, height, centerX, centerY

  var isHorizontal: Bool {
    switch self {
    case .leading, .trailing, .width, .centerX: true
    case .top, .bottom, .height, .centerY: false
    }
  }

  var isDimension: Bool { self == .width || self == .height }
}
