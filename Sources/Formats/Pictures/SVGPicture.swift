/// A screen as Scalable Vector Graphics 1.1, with nothing in it but shapes and text: no scripts, no links, nothing that
/// is fetched.
public enum SVGPicture {
  public static func write(_ grid: PictureGrid, to sink: any ByteSink) throws(OutputError) {
    try sink.write(text(of: grid))
  }

  /// Shapes of one kind and color, as one path.
  private struct Layer: Hashable {
    enum Kind: Hashable {
      case fill
      case stroke(width: Double)
      case dots
    }

    let kind: Kind
    let color: String
    let opacity: Double
  }

  private struct Sheet {
    var paths: [Layer: String] = [:]
    /// As they first occurred, so that the same screen gives the same bytes.
    var order: [Layer] = []
    var words: [String] = []

    mutating func add(_ path: String, to layer: Layer) {
      if paths[layer] == nil { order.append(layer) }
      paths[layer, default: ""] += path
    }
  }

  static func text(of grid: PictureGrid) -> String {
    let width = number(Double(grid.columns) * GlyphShape.width)
    let height = number(Double(grid.rows) * GlyphShape.height)
    let background = grid.standardBackground.hex ?? "#000000"
    var sheet = Sheet()
    for row in 0..<grid.rows {
      for run in grid.runs(ofRow: row) { draw(run, of: grid, on: &sheet) }
    }
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
      role="img">
      <title>\(escaped(grid.title))</title>
      <rect width="\(width)" height="\(height)" fill="\(background)"/>

      """
    for layer in sheet.order { svg += element(layer, sheet.paths[layer] ?? "") }
    svg += """
      <g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="16.4">

      """
    svg += sheet.words.joined()
    return svg + "</g>\n</svg>\n"
  }

  private static func element(_ layer: Layer, _ path: String) -> String {
    switch layer.kind {
    case .fill:
      let opacity = layer.opacity < 1 ? " fill-opacity=\"\(number(layer.opacity))\"" : ""
      return "<path fill=\"\(layer.color)\"\(opacity) d=\"\(path)\"/>\n"
    case .stroke(let width):
      let opacity = layer.opacity < 1 ? " stroke-opacity=\"\(number(layer.opacity))\"" : ""
      return """
        <path fill="none" stroke="\(layer.color)"\(opacity) stroke-width="\(number(width))" d="\(path)"/>

        """
    case .dots:
      let opacity = layer.opacity < 1 ? " stroke-opacity=\"\(number(layer.opacity))\"" : ""
      return """
        <path fill="none" stroke="\(layer.color)"\(opacity) stroke-width="3.4" stroke-linecap="round" d="\(path)"/>

        """
    }
  }

  private static func draw(_ run: PictureGrid.Run, of grid: PictureGrid, on sheet: inout Sheet) {
    var foreground = run.style.foreground.hex ?? grid.standardForeground.hex ?? "#cccccc"
    var background = run.style.background.hex
    if run.style.isReversed {
      (foreground, background) = (background ?? grid.standardBackground.hex ?? "#000000", foreground)
    }
    let x = Double(run.column) * GlyphShape.width
    let y = Double(run.row) * GlyphShape.height
    if let background {
      let width = Double(run.width) * GlyphShape.width
      sheet.add(
        rectangle(GlyphShape.Box(x: x, y: y, width: width, height: GlyphShape.height)),
        to: Layer(kind: .fill, color: background, opacity: 1))
    }
    let opacity = run.style.isDim ? 0.6 : 1
    var word = ""
    var start = run.column
    var end = run.column
    var column = run.column
    func finish() {
      guard !word.isEmpty else { return }
      sheet.words.append(
        text(
          word, x: Double(start) * GlyphShape.width, y: y, columns: end - start, run.style, foreground,
          opacity))
      word = ""
    }
    while column < run.column + run.width {
      let text = grid[column, run.row].text
      if text.isEmpty {
        // A wide character takes this column too.
        end = column + 1
      } else if text == " " {
        finish()
      } else if text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first,
        let shape = GlyphShape(scalar)
      {
        finish()
        draw(shape, x: Double(column) * GlyphShape.width, y: y, foreground, opacity, on: &sheet)
      } else {
        if word.isEmpty { start = column }
        word += text
        end = column + 1
      }
      column += 1
    }
    finish()
  }

  private static func draw(
    _ shape: GlyphShape, x: Double, y: Double, _ color: String, _ opacity: Double, on sheet: inout Sheet
  ) {
    switch shape {
    case .dots(let dots):
      let path = dots.map { "M\(number(x + $0.x)) \(number(y + $0.y))h0" }.joined()
      sheet.add(path, to: Layer(kind: .dots, color: color, opacity: opacity))
    case .boxes(let boxes, let own):
      let path = boxes.map {
        rectangle(GlyphShape.Box(x: x + $0.x, y: y + $0.y, width: $0.width, height: $0.height))
      }.joined()
      sheet.add(path, to: Layer(kind: .fill, color: color, opacity: own * opacity))
    case .lines(let lines, let width):
      let path = lines.map { line in
        line.enumerated().map { index, place in
          "\(index == 0 ? "M" : "L")\(number(x + place.x)) \(number(y + place.y))"
        }.joined()
      }.joined()
      sheet.add(path, to: Layer(kind: .stroke(width: width), color: color, opacity: opacity))
    }
  }

  private static func rectangle(_ box: GlyphShape.Box) -> String {
    "M\(number(box.x)) \(number(box.y))h\(number(box.width))v\(number(box.height))h-\(number(box.width))z"
  }

  /// A word, stretched to the columns it took.
  private static func text(
    _ word: String, x: Double, y: Double, columns: Int, _ style: PictureStyle, _ color: String,
    _ opacity: Double
  ) -> String {
    var attributes = ""
    if style.isBold { attributes += " font-weight=\"bold\"" }
    if style.isItalic { attributes += " font-style=\"italic\"" }
    if style.isUnderlined { attributes += " text-decoration=\"underline\"" }
    if opacity < 1 { attributes += " fill-opacity=\"\(number(opacity))\"" }
    return """
      <text x="\(number(x))" y="\(number(y + 15))" fill="\(color)" textLength="\(columns * 10)" \
      lengthAdjust="spacingAndGlyphs"\(attributes)>\(escaped(word))</text>

      """
  }

  /// At most two decimals, and none that say nothing.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
    if rest == 0 { return "\(whole)" }
    let sign = hundredths < 0 && whole == 0 ? "-" : ""
    return "\(sign)\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
  }

  /// Text that XML takes as text, with what acts instead of showing made visible (XML 1.0, 2.2 and 2.4).
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in VisibleText.make(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
