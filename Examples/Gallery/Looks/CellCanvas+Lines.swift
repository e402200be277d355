import ConstraintAnimation

extension CellCanvas {
  /// A box of thin lines just inside `rect`; what is there keeps its background.
  func box(_ rect: CellRect, style: CellStyle) {
    guard rect.width > 1, rect.height > 1 else { return }
    let line = String(repeating: "─", count: rect.width - 2)
    write("┌\(line)┐", x: rect.x0, y: rect.y0, style: style)
    write("└\(line)┘", x: rect.x0, y: rect.y1 - 1, style: style)
    for y in rect.y0 + 1..<rect.y1 - 1 {
      write("│", x: rect.x0, y: y, style: style)
      write("│", x: rect.x1 - 1, y: y, style: style)
    }
  }

  /// Text that ends where `width` columns do.
  func write(_ text: String, x: Int, y: Int, width: Int, style: CellStyle) {
    guard width > 0 else { return }
    let outer = clip
    clip = outer.intersection(CellRect(x0: x, y0: y, x1: x + width, y1: y + 1))
    write(text, x: x, y: y, style: style)
    clip = outer
  }
}
