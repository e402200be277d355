public import ConstraintAnimation

/// A color as a terminal is told it.
public enum ShownColor: Sendable, Hashable {
  case exact(Color)
  /// Of xterm's 256; the first sixteen are the terminal's palette.
  case indexed(UInt8)
}

extension ColorProfile {
  /// What becomes of a color with this many; `nil` where there are none.
  public func shown(_ color: Color) -> ShownColor? {
    let bits = CellColor(color).bits
    switch self {
    case .monochrome: return nil
    case .ansi16: return .indexed(UInt8(truncatingIfNeeded: ColorReducer.nearest16(bits)))
    case .ansi256: return .indexed(UInt8(truncatingIfNeeded: ColorReducer.nearest256(bits)))
    case .trueColor: return .exact(color)
    }
  }
}
