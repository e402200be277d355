/// A screen as values: what each cell shows, for writing it as a picture or as text.
public struct PictureGrid: Sendable, Hashable {
  public struct Cell: Sendable, Hashable {
    /// One character; empty in the second column of a wide one. May come from outside: writers make it harmless.
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
  /// What the terminal's own colors are taken to be.
  public var standardForeground = PictureColor.rgb(red: 204, green: 204, blue: 204)
  public var standardBackground = PictureColor.rgb(red: 0, green: 0, blue: 0)
  /// What it shows, for those who cannot see it. May come from outside.
  public var title = ""

  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a place inside.
  public subscript(column: Int, row: Int) -> Cell {
    get { cells[row * columns + column] }
    set { cells[row * columns + column] = newValue }
  }

  /// A stretch of neighboring cells in one style.
  struct Run {
    let row: Int
    let column: Int
    /// Columns that it takes.
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
