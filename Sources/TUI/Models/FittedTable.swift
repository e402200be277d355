import ConstraintAnimation

/// A column of a table in a panel.
struct TableColumn<Row> {
  /// The title in the heading, in the chooser of columns, and in what is said of the order.
  let title: String
  /// Columns that do not fit are shortened or left out, the lowest first.
  let priority: Int
  /// Text stands at the left, numbers at the right.
  var isLeading = false
  /// The largest number of columns of cells; `nil` for as many as its longest text needs.
  var limit: Int?
  /// The number of columns of cells, whatever its texts need; `nil` measures them.
  var width: Int?
  /// A shorter form, which has a priority of its own; empty for none.
  var short: [TableColumn<Row>] = []
  let cell: (Row) -> TextSpan

  /// The number of columns of cells that it takes in a table with these rows.
  fileprivate func columns(_ rows: [Row]) -> Int {
    if let width { return width }
    return min(limit ?? .max, rows.reduce(title.count) { max($0, cell($1).columns) })
  }
}

/// An order of a table's rows.
struct TableOrder<Row>: Sendable {
  /// The title of the column that it is by.
  let title: String
  /// Whether a row stands before another.
  let precedes: @Sendable (Row, Row) -> Bool

  init(_ title: String, _ precedes: @escaping @Sendable (Row, Row) -> Bool) {
    (self.title, self.precedes) = (title, precedes)
  }
}

/// The columns of a table that fit a width, with their rows as text.
struct FittedTable<Row> {
  private let columns: [(column: TableColumn<Row>, width: Int)]
  /// The columns that do not fit, the most important first.
  let omitted: [TableColumn<Row>]
  private let appearance: Appearance
  /// The number of columns in front of each row.
  private let markColumns: Int
  private let gap: Int

  /// - Parameters:
  ///   - rows: of the whole table, so that columns keep their widths while it is scrolled; may be empty where all have a width.
  ///   - hidden: titles of columns that are not wanted.
  ///   - markColumns: for marks in front of each row.
  ///   - isFilled: whether a last column of text takes the width that is left.
  init(
    _ columns: [TableColumn<Row>], rows: [Row], hidden: Set<String>, width: Int, markColumns: Int = 3,
    gap: Int = 2, isFilled: Bool = true, appearance: Appearance
  ) {
    (self.appearance, self.markColumns, self.gap) = (appearance, markColumns, gap)
    var shown = columns.filter { !hidden.contains($0.title) }.enumerated().map { place, column in
      (place: place, column: column, width: column.columns(rows))
    }
    func total() -> Int { shown.reduce(0) { $0 + $1.width } + max(0, shown.count - 1) * gap }
    var others: [(place: Int, column: TableColumn<Row>, width: Int)] = []
    while shown.count > 1, total() > width - markColumns,
      let lowest = shown.indices.min(by: { shown[$0].column.priority < shown[$1].column.priority })
    {
      if let short = shown[lowest].column.short.first {
        shown[lowest] = (place: shown[lowest].place, column: short, width: short.columns(rows))
      } else {
        others.insert(shown.remove(at: lowest), at: 0)
      }
    }
    // After a wide column is left out, a narrow one that was left out before may fit.
    others.removeAll { other in
      guard total() + gap + other.width <= width - markColumns else { return false }
      shown.append(other)
      return true
    }
    shown.sort { $0.place < $1.place }
    let used = total()
    if isFilled, let last = shown.indices.last, shown[last].column.isLeading {
      shown[last].width = max(1, shown[last].width + width - markColumns - used)
    }
    self.columns = shown.map { ($0.column, $0.width) }
    omitted = others.map(\.column)
  }

  var heading: [TextSpan] {
    let titles = columns.map { aligned($0.column.title, $0) }
    return [
      TextSpan(
        String(repeating: " ", count: markColumns) + titles.joined(separator: separator),
        appearance(.secondary))
    ]
  }

  /// - Parameters:
  ///   - marks: as wide as the columns for them.
  ///   - beforeLast: stands in the last column, before its text.
  func row(_ row: Row, marks: [TextSpan] = [], beforeLast: [TextSpan] = []) -> [TextSpan] {
    let cells = columns.enumerated().map { place, column in
      let before = place == columns.count - 1 ? beforeLast : []
      var span = column.column.cell(row)
      span.text = aligned(span.text, (column.column, max(0, column.width - TextSpan.columns(of: before))))
      return before + [span]
    }
    return marks + cells.joined(separator: [TextSpan(separator, .plain)])
  }

  private var separator: String { String(repeating: " ", count: gap) }

  private func aligned(_ text: String, _ column: (column: TableColumn<Row>, width: Int)) -> String {
    column.column.isLeading
      ? FittedText.field(text, columns: column.width, ellipsis: appearance.glyphs.ellipsis)
      : FittedText.padded(text, columns: column.width)
  }
}
