import ConstraintAnimation

/// Drawings that give tiles something to show. The same on each frame, at each place.
enum Sketches {
  typealias Content = (CellRect, any CellCanvas) -> Void

  /// Dots whose heights wander about a third of the area.
  static func scatter(_ palette: CommandPalette) -> Content {
    { area, canvas in
      guard area.height > 0 else { return }
      for column in 0..<area.width {
        let noise = fraction(column)
        let tail = noise > 0.93 ? 0.75 : 0.22 + 0.25 * noise
        let row = Int(tail * Double(area.height))
        canvas.write(
          noise > 0.93 ? "•" : "·", x: area.x0 + column, y: area.y1 - 1 - row,
          style: CellStyle(foreground: noise > 0.93 ? palette.rose : palette.teal))
      }
    }
  }

  /// Bars under a hill with a tail to the right.
  static func histogram(_ palette: CommandPalette) -> Content {
    { area, canvas in
      guard area.height > 0 else { return }
      let blocks = Array("▁▂▃▄▅▆▇█")
      for column in 0..<area.width {
        let x = Double(column) / Double(max(1, area.width))
        let hill = x < 0.25 ? x * 4 : 1 / (1 + 9 * (x - 0.25) * (x - 0.25) * 6)
        let eighths = Int(hill * (0.8 + 0.2 * fraction(column)) * Double(area.height * 8))
        for row in 0..<area.height {
          let filled = min(8, eighths - row * 8)
          guard filled > 0 else { break }
          canvas.write(
            String(blocks[filled - 1]), x: area.x0 + column, y: area.y1 - 1 - row,
            style: CellStyle(foreground: palette.blue))
        }
      }
    }
  }

  static func log(_ palette: CommandPalette) -> Content {
    lines(
      [
        "12:00:01.204  a1f3  accepted      42.1 ms", "12:00:02.198  a1f4  accepted      39.8 ms",
        "12:00:03.201  a1f5  delivered    181.6 ms", "12:00:04.200  a1f6  accepted      40.4 ms",
        "12:00:05.207  a1f7  rejected     too many", "12:00:06.199  a1f8  accepted      41.0 ms",
      ], palette)
  }

  static func events(_ palette: CommandPalette) -> Content {
    lines(
      [
        "● connection opened", "● certificate renewed", "● clock stepped by 2 ms", "● connection closed",
        "● connection opened",
      ], palette)
  }

  /// A number in 0..<1 that depends on `index` alone.
  static func fraction(_ index: Int) -> Double {
    var bits = UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 31)) &* 0xBF58_476D_1CE4_E5B9
    return Double((bits ^ (bits >> 29)) >> 40) / Double(1 << 24)
  }

  private static func lines(_ lines: [String], _ palette: CommandPalette) -> Content {
    { area, canvas in
      for (line, y) in zip(lines, area.y0..<max(area.y0, area.y1)) {
        canvas.write(
          line, x: area.x0 + 1, y: y, width: area.width - 1, style: CellStyle(foreground: palette.text))
      }
    }
  }
}

/// Four corners around a place, for comparing what is drawn with where the layout has it.
final class Outline: View {
  private let style: CellStyle

  init(style: CellStyle) {
    self.style = style
    super.init()
    isUserInteractionEnabled = false
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard !rect.isEmpty else { return }
    canvas.write("┌", x: rect.x0, y: rect.y0, style: style)
    canvas.write("┐", x: rect.x1 - 1, y: rect.y0, style: style)
    canvas.write("└", x: rect.x0, y: rect.y1 - 1, style: style)
    canvas.write("┘", x: rect.x1 - 1, y: rect.y1 - 1, style: style)
  }
}

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
