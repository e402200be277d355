import ConstraintAnimation

/// Values of several things over the last frames, the newest at the right.
final class Trace: View {
  private let inks: [Color]
  private let palette: CommandPalette
  private var samples: [[Double]] = []

  private static let capacity = 1000

  init(_ inks: [Color], _ palette: CommandPalette) {
    self.inks = inks
    self.palette = palette
    super.init()
    isUserInteractionEnabled = false
  }

  /// One value, 0…1, for each ink.
  func add(_ values: [Double]) {
    if samples.count == Trace.capacity { samples.removeFirst() }
    samples.append(values)
    setNeedsDisplay()
  }

  func clear() {
    samples = []
    setNeedsDisplay()
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard rect.height > 1, rect.width > 0 else { return }
    let line = String(repeating: "─", count: rect.width)
    canvas.write(line, x: rect.x0, y: rect.y0, style: CellStyle(foreground: palette.faint))
    let rows = rect.height - 1
    let shown = samples.suffix(rect.width)
    for (index, ink) in inks.enumerated() {
      for (column, values) in zip(rect.x0..., shown) where values.indices.contains(index) {
        // Right is up; what overshoots is drawn at the edge.
        let height = min(max(values[index], 0), 1)
        let thirds = Int(((1 - height) * Double(rows * 3 - 1)).rounded())
        canvas.write(
          ["'", "·", "."][thirds % 3], x: column, y: rect.y0 + 1 + thirds / 3,
          style: CellStyle(foreground: ink))
      }
    }
  }
}
