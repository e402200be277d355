/// Which characters plots may be made of. Each contains those before it.
public enum GlyphRepertoire: Int, Sendable, Hashable, Comparable, CaseIterable {
  case ascii
  /// Lines, ▀▄█▌▐ and shades: what a console font of 256 glyphs has.
  case halfBlocks
  /// Eighths and quadrants.
  case blocks
  /// 2×4 dots in a cell.
  case braille
  /// 2×4 solid blocks in a cell (Unicode 16), so far in few fonts and terminals.
  case octants

  public static func < (left: GlyphRepertoire, right: GlyphRepertoire) -> Bool {
    left.rawValue < right.rawValue
  }
}
