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
