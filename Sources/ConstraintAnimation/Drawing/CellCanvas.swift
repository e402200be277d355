/// What views draw on: a grid of cells with a clip. The library draws through this protocol only; the owner of
/// the screen conforms.
///
/// Coordinates are whole cells in the window's space, x to the right, y down. Whatever falls outside `clip` is
/// dropped, so a view may draw itself whole while it is half off screen. Calls come in runs (a text, a row, a
/// rectangle) because a call through an existential costs more than a cell does.
public protocol CellCanvas: AnyObject {
  /// The whole grid.
  var bounds: CellRect { get }

  /// Only cells inside are changed. The window narrows it for each clipping view and restores it afterwards.
  var clip: CellRect { get set }

  /// Fills a rectangle with one glyph of width 1.
  func fill(_ rect: CellRect, glyph: Unicode.Scalar, style: CellStyle)

  /// Writes text from (x, y) to the right, one row. Control and bidirectional characters are made visible, never
  /// passed on. A `nil` background keeps the one that is already in each cell.
  /// - Returns: the columns the text takes, clipped or not.
  @discardableResult
  func write(_ text: String, x: Int, y: Int, style: CellStyle) -> Int

  /// Writes a row of ready cells from (x, y) to the right: `glyphs[i]` in `styles[i]`. Each glyph has width 1; a
  /// glyph of 0 leaves its cell as it is. Both buffers have the same count.
  func blit(
    _ glyphs: UnsafeBufferPointer<UInt32>, styles: UnsafeBufferPointer<CellStyle>, x: Int, y: Int)

  /// Blends every cell of the rectangle towards `color` by `1 - alpha`: how views fade. A canvas without enough
  /// colors may dither or switch at one half.
  func fade(_ rect: CellRect, towards color: Color, alpha: Double)
}

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

/// An sRGB color, eight bits a channel. How many of its bits reach the screen is the canvas's affair.
public struct Color: Sendable, Hashable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The color `fraction` of the way to `other`, channel by channel; the fraction is clamped to 0…1.
  public func blended(with other: Color, fraction: Double) -> Color {
    let share = min(max(fraction, 0), 1)
    func channel(_ from: UInt8, _ to: UInt8) -> UInt8 {
      UInt8((Double(from) + (Double(to) - Double(from)) * share + 0.5).rounded(.down))
    }
    return Color(
      channel(red, other.red), channel(green, other.green), channel(blue, other.blue))
  }
}
