import ConstraintAnimation

/// A column of a table in a panel.
struct TableColumn<Row> {
  /// In the heading, in the chooser of columns, and in what is said of the order.
  let title: String
  /// Columns that do not fit are left out, the lowest first.
  let priority: Int
  /// Text stands at the left, numbers at the right.
  var isLeading = false
  /// At most so many columns of cells; `nil` for as many as its longest text needs.
  var limit: Int?
  let cell: (Row) -> TextSpan
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
  private let appearance: Appearance

  /// Marks in front of each row.
  static var markColumns: Int { 3 }
  private static var gap: Int { 2 }

  /// - Parameters:
  ///   - rows: of the whole table, so that columns keep their widths while it is scrolled.
  ///   - hidden: titles of columns that are not wanted.
  init(
    _ columns: [TableColumn<Row>], rows: [Row], hidden: Set<String>, width: Int, appearance: Appearance
  ) {
    self.appearance = appearance
    var shown = columns.filter { !hidden.contains($0.title) }.map { column in
      let widest = rows.reduce(column.title.count) { max($0, column.cell($1).columns) }
      return (column: column, width: min(column.limit ?? .max, widest))
    }
    func total() -> Int { shown.reduce(0) { $0 + $1.width } + max(0, shown.count - 1) * Self.gap }
    while shown.count > 1, total() > width - Self.markColumns,
      let lowest = shown.indices.min(by: { shown[$0].column.priority < shown[$1].column.priority })
    {
      shown.remove(at: lowest)
    }
    // The last column takes what is left.
    let used = total()
    if let last = shown.indices.last, shown[last].column.isLeading {
      shown[last].width = max(1, shown[last].width + width - Self.markColumns - used)
    }
    self.columns = shown
  }

  var heading: [TextSpan] {
    let titles = columns.map { aligned($0.column.title, $0) }
    return [
      TextSpan(
        String(repeating: " ", count: Self.markColumns) + titles.joined(separator: separator),
        appearance(.secondary))
    ]
  }

  /// - Parameter marks: as wide as ``markColumns``.
  func row(_ row: Row, marks: [TextSpan]) -> [TextSpan] {
    let cells = columns.map { column in
      var span = column.column.cell(row)
      span.text = aligned(span.text, column)
      return [span]
    }
    return marks + cells.joined(separator: [TextSpan(separator, .plain)])
  }

  private var separator: String { String(repeating: " ", count: Self.gap) }

  private func aligned(_ text: String, _ column: (column: TableColumn<Row>, width: Int)) -> String {
    column.column.isLeading
      ? FittedText.field(text, columns: column.width, ellipsis: appearance.glyphs.ellipsis)
      : FittedText.padded(text, columns: column.width)
  }
}
