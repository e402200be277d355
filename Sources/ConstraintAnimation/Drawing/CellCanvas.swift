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

  /// The rectangle with what else has to be drawn again with it: cells that share a glyph with one inside.
  func whole(_ rect: CellRect) -> CellRect
}

extension CellCanvas {
  /// The rectangle itself, since each glyph of this canvas has one cell.
  public func whole(_ rect: CellRect) -> CellRect { rect }
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

/// Backgrounds whose edges lie between cells, drawn with the block elements: eighths of a column (U+2589…U+258F) or
/// of a row (U+2581…U+2588). A cell has two colors, so only one edge can run through it.
enum EighthEdges {
  /// Left blocks, 1/8 to 7/8 wide.
  private static let left: [Unicode.Scalar] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  /// Lower blocks, 1/8 to 7/8 high.
  private static let lower: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"]

  /// Fills `edges` with `color` over `behind`. When edges of both axes lie between cells the vertical ones are drawn
  /// and the horizontal ones rounded.
  static func fill(_ edges: SIMD4<Double>, color: Color, behind: Color, on canvas: any CellCanvas) {
    guard all(edges .> -1e6), all(edges .< 1e6) else {
      canvas.fill(CellRect(whole: Edges.snap(edges)), glyph: " ", style: CellStyle(background: color))
      return
    }
    let eighths = (edges * 8 + 0.5).rounded(.down)
    let whole = CellRect(whole: Edges.snap(edges))
    let low = (eighths / 8).rounded(.down)
    let parts = eighths - low * 8
    if parts.x != 0 || parts.z != 0 {
      fillColumns(low: low, parts: parts, rows: whole, color: color, behind: behind, on: canvas)
    } else if parts.y != 0 || parts.w != 0 {
      fillRows(low: low, parts: parts, columns: whole, color: color, behind: behind, on: canvas)
    } else {
      canvas.fill(whole, glyph: " ", style: CellStyle(background: color))
    }
  }

  private static func fillColumns(
    low: SIMD4<Double>, parts: SIMD4<Double>, rows: CellRect, color: Color, behind: Color,
    on canvas: any CellCanvas
  ) {
    var inner = CellRect(x0: Int(low.x), y0: rows.y0, x1: Int(low.z), y1: rows.y1)
    if low.x == low.z {
      // Both edges in one cell: what the two colors can show is the wider of the two parts.
      let width = Int(parts.z - parts.x)
      if width > 0 { draw(left[min(width, 7) - 1], color, behind, column: Int(low.x), rows, canvas) }
      return
    }
    if parts.x > 0 {
      draw(left[Int(parts.x) - 1], behind, color, column: inner.x0, rows, canvas)
      inner.x0 += 1
    }
    canvas.fill(inner, glyph: " ", style: CellStyle(background: color))
    if parts.z > 0 { draw(left[Int(parts.z) - 1], color, behind, column: inner.x1, rows, canvas) }
  }

  private static func fillRows(
    low: SIMD4<Double>, parts: SIMD4<Double>, columns: CellRect, color: Color, behind: Color,
    on canvas: any CellCanvas
  ) {
    var inner = CellRect(x0: columns.x0, y0: Int(low.y), x1: columns.x1, y1: Int(low.w))
    func draw(_ glyph: Unicode.Scalar, _ ink: Color, _ paper: Color, row: Int) {
      canvas.fill(
        CellRect(x0: columns.x0, y0: row, x1: columns.x1, y1: row + 1), glyph: glyph,
        style: CellStyle(foreground: ink, background: paper))
    }
    if low.y == low.w {
      let height = Int(parts.w - parts.y)
      if height > 0 { draw(lower[min(height, 7) - 1], color, behind, row: Int(low.y)) }
      return
    }
    if parts.y > 0 {
      draw(lower[7 - Int(parts.y)], color, behind, row: inner.y0)
      inner.y0 += 1
    }
    canvas.fill(inner, glyph: " ", style: CellStyle(background: color))
    if parts.w > 0 { draw(lower[7 - Int(parts.w)], behind, color, row: inner.y1) }
  }

  private static func draw(
    _ glyph: Unicode.Scalar, _ ink: Color, _ paper: Color, column: Int, _ rows: CellRect,
    _ canvas: any CellCanvas
  ) {
    canvas.fill(
      CellRect(x0: column, y0: rows.y0, x1: column + 1, y1: rows.y1), glyph: glyph,
      style: CellStyle(foreground: ink, background: paper))
  }
}
