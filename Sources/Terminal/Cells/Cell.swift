public import ConstraintAnimation

/// One cell of the screen: a glyph, two colors and attributes. 16 bytes, no references.
///
/// A wide glyph takes two cells: the first holds it, the second is a *continuation* that shows nothing itself and
/// has the same colors and attributes. `CellBuffer` keeps the two together.
public struct Cell: Sendable, Hashable {
  /// A Unicode scalar value that takes one or two columns, an index into `GraphemeTable` (see there), or
  /// `Cell.continuationGlyph`.
  public internal(set) var glyph: UInt32
  public internal(set) var foreground: CellColor
  public internal(set) var background: CellColor
  /// The attributes in the low byte, `wideFlag` above them.
  @usableFromInline var bits: UInt32

  /// The second column of a wide glyph.
  public static let continuationGlyph: UInt32 = 0xFFFF_FFFF

  static let wideFlag: UInt32 = 1 << 8

  /// `CellAttributes.underline` and `.reverse`, as a number because this is asked for each cell of a frame.
  static let drawnOnBlanks: UInt32 = 0b1_1000

  /// A space in the terminal's own colors.
  public static let blank = Cell(
    glyph: 0x20, foreground: .terminalDefault, background: .terminalDefault, attributes: [])

  init(
    glyph: UInt32, foreground: CellColor, background: CellColor, attributes: CellAttributes,
    isWide: Bool = false
  ) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
    self.bits = UInt32(attributes.rawValue) | (isWide ? Cell.wideFlag : 0)
  }

  public var attributes: CellAttributes {
    CellAttributes(rawValue: UInt8(truncatingIfNeeded: bits))
  }

  /// The first column of a glyph that takes two.
  public var isWide: Bool { bits & Cell.wideFlag != 0 }

  /// The second column of a wide glyph.
  public var isContinuation: Bool { glyph == Cell.continuationGlyph }

  /// The character shown, with its marks; empty for a continuation.
  public var text: String { CellText.text(of: glyph) }

  /// Colors and attributes without the glyph.
  public var style: CellStyle {
    CellStyle(foreground: foreground.color, background: background.color, attributes: attributes)
  }

  /// Shows nothing but its background: what the erase functions of a terminal leave behind.
  ///
  /// Bold, dim and italic do not show on a space; underline and reverse do.
  var isErasable: Bool {
    glyph == 0x20 && bits & Cell.drawnOnBlanks == 0
  }

  /// A space with this cell's colors and attributes.
  var emptied: Cell {
    Cell(glyph: 0x20, foreground: foreground, background: background, attributes: attributes)
  }
}

/// A color in a cell: 24 bits of sRGB, or the terminal's own.
///
/// Four bytes, so that a cell stays small and two cells compare as integers.
public struct CellColor: Sendable, Hashable {
  /// 0 for the terminal's own color, else `0x01RRGGBB`.
  @usableFromInline let bits: UInt32

  @inlinable init(bits: UInt32) { self.bits = bits }

  /// The terminal's default color.
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
