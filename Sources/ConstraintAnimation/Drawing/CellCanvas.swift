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
