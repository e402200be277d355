import ConstraintAnimation

/// A timing curve in a frame with two dots: one on the curve, one that moves along the bottom as an animation would.
final class CurvePlot: View {
  let curve: TimingCurve
  let dot: Label
  let runner: Label

  /// Where the dots are, 0…1. Set them in animation blocks.
  var time = 0.0 { didSet { setNeedsLayout() } }
  var progress = 0.0 { didSet { setNeedsLayout() } }

  private let name: String
  private let palette: CommandPalette

  /// Curves may leave 0…1: this much is shown below and above.
  private static let lowest = -0.15
  private static let highest = 1.25
  private static let samplesPerColumn = 4

  init(_ name: String, _ curve: TimingCurve, _ hue: Color, _ palette: CommandPalette) {
    self.name = name
    self.curve = curve
    self.palette = palette
    let style = CellStyle(foreground: palette.text, attributes: .bold)
    dot = Label("●", style: style)
    runner = Label("●", style: style)
    super.init()
    identifier = name
    tintColor = hue
    backgroundColor = palette.fill(hue)
    clipsToBounds = true
    addSubview(dot)
    addSubview(runner)
  }

  /// The dots are placed by hand: a view that lays its subviews out needs no constraints.
  override func layoutSubviews() {
    let (width, height) = (bounds.width, bounds.height)
    guard width > 3, height > 4 else { return }
    dot.frame = Rect(
      x: 1 + time * (width - 3), y: 1 + share(of: progress) * (height - 4), width: 1, height: 1)
    runner.frame = Rect(x: 1 + progress * (width - 3), y: height - 2, width: 1, height: 1)
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    canvas.box(rect, style: CellStyle(foreground: presentationTintColor))
    canvas.write(
      " \(name) ", x: rect.x0 + 1, y: rect.y0, width: rect.width - 2,
      style: CellStyle(foreground: presentationTintColor, attributes: .bold))
    let plot = CellRect(x0: rect.x0 + 1, y0: rect.y0 + 1, x1: rect.x1 - 1, y1: rect.y1 - 2)
    guard plot.width > 1, plot.height > 1 else { return }
    let style = CellStyle(foreground: presentationTintColor)
    // Several samples a column, so that a steep curve has no holes; three heights in a cell.
    for sample in 0..<plot.width * CurvePlot.samplesPerColumn {
      let column = sample / CurvePlot.samplesPerColumn
      let time = Double(sample) / Double(plot.width * CurvePlot.samplesPerColumn - 1)
      let thirds = Int((share(of: curve.value(at: time)) * Double(plot.height * 3 - 1)).rounded())
      guard (0..<plot.height * 3).contains(thirds) else { continue }
      canvas.write(
        ["'", "·", "."][thirds % 3], x: plot.x0 + column, y: plot.y0 + thirds / 3, style: style)
    }
  }

  /// From the top, 0…1.
  private func share(of value: Double) -> Double {
    (CurvePlot.highest - value) / (CurvePlot.highest - CurvePlot.lowest)
  }
}

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
