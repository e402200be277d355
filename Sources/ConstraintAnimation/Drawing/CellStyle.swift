/// How a cell looks apart from its glyph. `nil` colors are the terminal's own.
public struct CellStyle: Sendable, Hashable {
  public var foreground: Color?
  public var background: Color?
  public var attributes: CellAttributes

  public init(
    foreground: Color? = nil, background: Color? = nil, attributes: CellAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  public static let plain = CellStyle()
}

/// Renditions that terminals offer beside color (ECMA-48 SGR).
public struct CellAttributes: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let bold = CellAttributes(rawValue: 1 << 0)
  public static let dim = CellAttributes(rawValue: 1 << 1)
  public static let italic = CellAttributes(rawValue: 1 << 2)
  public static let underline = CellAttributes(rawValue: 1 << 3)
  public static let reverse = CellAttributes(rawValue: 1 << 4)
}
