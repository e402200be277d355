/// A screen as SVG 1.1 with shapes and text only: no scripts, no links, no external resources.
public enum SVGPicture {
  public static func write(_ grid: PictureGrid, to sink: any ByteSink) throws(OutputError) {
    try sink.write(text(of: grid))
  }

  /// Shapes of one kind and color, as one path.
  private struct Layer: Hashable {
    enum Kind: Hashable {
      /// The background of cells, below everything else.
      case ground
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
    /// The layers in order of first occurrence, so that the same screen gives the same bytes.
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
      <title>\(MarkupText.escaped(grid.title))</title>
      <rect width="\(width)" height="\(height)" fill="\(background)"/>

      """
    let layers = sheet.order.filter { $0.kind == .ground } + sheet.order.filter { $0.kind != .ground }
    for layer in layers { svg += element(layer, sheet.paths[layer] ?? "") }
    svg += """
      <g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="16.4">

      """
    svg += sheet.words.joined()
    return svg + "</g>\n</svg>\n"
  }

  private static func element(_ layer: Layer, _ path: String) -> String {
    switch layer.kind {
    case .ground, .fill:
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
        to: Layer(kind: .ground, color: background, opacity: 1))
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

  /// A word, stretched to the width of its columns.
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
      lengthAdjust="spacingAndGlyphs"\(attributes)>\(MarkupText.escaped(word))</text>

      """
  }

  private static func number(_ value: Double) -> String { MarkupNumber.text(value) }
}

/// The shape of a plot character (braille, block or line drawing) in a cell of 10 by 20 units. These characters are drawn
/// instead of written, because fonts differ in having them, in their width and in whether neighbors touch.
enum GlyphShape: Sendable, Hashable {
  struct Place: Sendable, Hashable {
    let x: Double
    let y: Double
  }

  struct Box: Sendable, Hashable {
    let x: Double
    let y: Double
    let width: Double
    let height: Double
  }

  /// Round dots.
  case dots([Place])
  /// Filled rectangles and their opacity.
  case boxes([Box], opacity: Double)
  /// Straight lines, each with a width.
  case lines([[Place]], width: Double)

  static let width = 10.0
  static let height = 20.0

  /// `nil` for characters that are written as text.
  init?(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x2801...0x28FF: self = Self.braille(scalar.value)
    case 0x2580...0x259F: self = Self.block(scalar.value)
    case 0x2500...0x257F:
      guard let lines = Self.box(scalar.value) else { return nil }
      self = lines
    default: return nil
    }
  }

  private static func braille(_ value: UInt32) -> GlyphShape {
    // Dots 1 2 3 7 on the left, 4 5 6 8 on the right, from above (Unicode, Braille Patterns).
    let rows = [0, 1, 2, 0, 1, 2, 3, 3]
    let columns = [0, 0, 0, 1, 1, 1, 0, 1]
    var dots: [Place] = []
    for place in 0..<8 where value >> UInt32(place) & 1 == 1 {
      dots.append(Place(x: columns[place] == 0 ? 2.5 : 7.5, y: 2.5 + Double(5 * rows[place])))
    }
    return .dots(dots)
  }

  private static func block(_ value: UInt32) -> GlyphShape {
    func boxes(_ boxes: Box..., opacity: Double = 1) -> GlyphShape { .boxes(boxes, opacity: opacity) }
    switch value {
    case 0x2580: return boxes(Box(x: 0, y: 0, width: 10, height: 10))
    case 0x2581...0x2588:
      let part = 2.5 * Double(value - 0x2580)
      return boxes(Box(x: 0, y: 20 - part, width: 10, height: part))
    case 0x2589...0x258F:
      return boxes(Box(x: 0, y: 0, width: 1.25 * Double(0x2590 - value), height: 20))
    case 0x2590: return boxes(Box(x: 5, y: 0, width: 5, height: 20))
    case 0x2591...0x2593:
      return boxes(Box(x: 0, y: 0, width: 10, height: 20), opacity: 0.25 * Double(value - 0x2590))
    case 0x2594: return boxes(Box(x: 0, y: 0, width: 10, height: 2.5))
    case 0x2595: return boxes(Box(x: 8.75, y: 0, width: 1.25, height: 20))
    default:
      // Upper left 1, upper right 2, lower left 4, lower right 8.
      let patterns = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14]
      let pattern = patterns[Int(value - 0x2596)]
      var quarters: [Box] = []
      for place in 0..<4 where pattern >> place & 1 == 1 {
        quarters.append(Box(x: Double(place % 2 * 5), y: Double(place / 2 * 10), width: 5, height: 10))
      }
      return .boxes(quarters, opacity: 1)
    }
  }

  /// Which of its four sides a character of lines reaches: left 1, right 2, up 4, down 8.
  private static let arms: [UInt32: Int] = [
    0x2500: 3, 0x2502: 12, 0x250C: 10, 0x2510: 9, 0x2514: 6, 0x2518: 5, 0x251C: 14, 0x2524: 13, 0x252C: 11,
    0x2534: 7, 0x253C: 15, 0x256D: 10, 0x256E: 9, 0x256F: 5, 0x2570: 6, 0x2501: 3, 0x2550: 3,
  ]

  private static func box(_ value: UInt32) -> GlyphShape? {
    let (middle, center) = (5.0, 10.0)
    if let arms = arms[value] {
      let ends = [
        Place(x: 0, y: center), Place(x: 10, y: center), Place(x: middle, y: 0), Place(x: middle, y: 20),
      ]
      var lines: [[Place]] = []
      for place in 0..<4 where arms >> place & 1 == 1 {
        lines.append([ends[place], Place(x: middle, y: center)])
      }
      return .lines(lines, width: value == 0x2501 || value == 0x2550 ? 3 : 1.2)
    }
    func dashes(_ count: Int, isUpright: Bool, width: Double) -> GlyphShape {
      let length = (isUpright ? 20.0 : 10.0) / Double(count)
      return .lines(
        (0..<count).map { place in
          let from = (Double(place) + 0.2) * length
          let to = (Double(place) + 0.8) * length
          return isUpright
            ? [Place(x: middle, y: from), Place(x: middle, y: to)]
            : [Place(x: from, y: center), Place(x: to, y: center)]
        }, width: width)
    }
    switch value {
    case 0x2504: return dashes(3, isUpright: false, width: 1.2)
    case 0x2506: return dashes(3, isUpright: true, width: 1.2)
    case 0x2508: return dashes(4, isUpright: false, width: 1.2)
    case 0x250A: return dashes(4, isUpright: true, width: 1.2)
    case 0x254C: return dashes(2, isUpright: false, width: 1.2)
    case 0x254D: return dashes(2, isUpright: false, width: 2.4)
    default: return nil
    }
  }
}
