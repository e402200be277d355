/// The contents of a screen, cell by cell, to be written as a picture or as text.
public struct PictureGrid: Sendable, Hashable {
  /// A character and its style.
  public struct Cell: Sendable, Hashable {
    /// One character; empty in the second column of a wide one. Untrusted: writers escape it.
    public var text: String
    public var style: PictureStyle

    public init(text: String, style: PictureStyle) {
      self.text = text
      self.style = style
    }

    /// A space in the terminal's own colors.
    public static let blank = Cell(text: " ", style: PictureStyle())
  }

  public let columns: Int
  public let rows: Int
  /// Row by row.
  public private(set) var cells: [Cell]
  /// Assumed default colors of the terminal.
  public var standardForeground = PictureColor.rgb(red: 204, green: 204, blue: 204)
  public var standardBackground = PictureColor.rgb(red: 0, green: 0, blue: 0)
  /// Alternative text for readers who cannot see the picture. Untrusted.
  public var title = ""

  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a position inside the grid.
  public subscript(column: Int, row: Int) -> Cell {
    get { cells[row * columns + column] }
    set { cells[row * columns + column] = newValue }
  }

  /// Neighboring cells in one style.
  struct Run {
    let row: Int
    let column: Int
    /// Width in columns.
    var width: Int
    var text: String
    let style: PictureStyle
  }

  /// The runs of a row, left to right, together as wide as the row.
  func runs(ofRow row: Int) -> [Run] {
    var runs: [Run] = []
    for column in 0..<columns {
      let cell = self[column, row]
      // The second half of a wide character belongs to the first.
      if let last = runs.last, last.style == cell.style || cell.text.isEmpty {
        runs[runs.count - 1].width += 1
        runs[runs.count - 1].text += cell.text
      } else {
        let text = cell.text.isEmpty ? " " : cell.text
        runs.append(Run(row: row, column: column, width: 1, text: text, style: cell.style))
      }
    }
    return runs
  }
}

/// Colors and attributes of a cell.
public struct PictureStyle: Sendable, Hashable {
  public var foreground = PictureColor.standard
  public var background = PictureColor.standard
  public var isBold = false
  public var isDim = false
  public var isItalic = false
  public var isUnderlined = false
  public var isReversed = false

  public init() {}

  /// Whether a space in this style is invisible.
  var isInvisibleOnBlank: Bool { background == .standard && !isUnderlined && !isReversed }

  /// The attributes as words: `bold reverse`.
  var attributes: String {
    let names = [
      (isBold, "bold"), (isDim, "dim"), (isItalic, "italic"), (isUnderlined, "underline"),
      (isReversed, "reverse"),
    ]
    return names.filter(\.0).map(\.1).joined(separator: " ")
  }
}

/// A color of a cell, as sent to the terminal.
public enum PictureColor: Sendable, Hashable {
  /// The terminal's default.
  case standard
  /// Index into xterm's 256 colors; the first sixteen are the terminal's palette.
  case indexed(UInt8)
  case rgb(red: UInt8, green: UInt8, blue: UInt8)

  /// `#rrggbb`, with xterm's values for indices; `nil` for the terminal's default.
  public var hex: String? {
    switch self {
    case .standard: nil
    case .indexed(let index): Self.hex(Self.channels(of: Int(index)))
    case .rgb(let red, let green, let blue): Self.hex((Int(red), Int(green), Int(blue)))
    }
  }

  private static func hex(_ channels: (Int, Int, Int)) -> String {
    "#" + [channels.0, channels.1, channels.2].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// xterm's defaults: sixteen of the palette, a cube of six steps, 24 grays.
  private static func channels(of index: Int) -> (Int, Int, Int) {
    if index < 16 { return basic[index] }
    if index >= 232 {
      let gray = 8 + 10 * (index - 232)
      return (gray, gray, gray)
    }
    let steps = [0, 95, 135, 175, 215, 255]
    let place = index - 16
    return (steps[place / 36], steps[place / 6 % 6], steps[place % 6])
  }

  private static let basic = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255),
    (0, 255, 255), (255, 255, 255),
  ]
}
