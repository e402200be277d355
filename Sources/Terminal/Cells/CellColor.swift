public import ConstraintAnimation

/// A color in a cell: 24 bits of sRGB, or the terminal's own.
///
/// Four bytes, so that a cell stays small and two cells compare as integers.
public struct CellColor: Sendable, Hashable {
  /// 0 for the terminal's own color, else `0x01RRGGBB`.
  @usableFromInline let bits: UInt32

  @inlinable init(bits: UInt32) { self.bits = bits }

  /// What the terminal shows when nobody asks for a color.
  public static let terminalDefault = CellColor(bits: 0)

  @inlinable
  public init(_ color: Color) {
    bits = 0x0100_0000 | UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
  }

  /// `nil` becomes the terminal's own color.
  @inlinable
  public init(_ color: Color?) {
    if let color { self.init(color) } else { self.init(bits: 0) }
  }

  /// `nil` for the terminal's own color.
  @inlinable
  public var color: Color? {
    guard bits != 0 else { return nil }
    return Color(
      UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
      UInt8(truncatingIfNeeded: bits))
  }

  @inlinable
  public var isTerminalDefault: Bool { bits == 0 }
}
