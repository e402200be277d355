/// A screen as a table: a row for each stretch of cells that look alike, blank ones left out.
public enum CSVPicture {
  /// `row` and `column` count from 1; colors are `#rrggbb`, empty for the terminal's own.
  public static let columns = ["row", "column", "columns", "text", "foreground", "background", "attributes"]

  public static func write(_ grid: PictureGrid, to sink: any ByteSink) throws(OutputError) {
    var writer = RecordWriter(format: .csv, columns: columns, sink: sink)
    try writer.header()
    for row in 0..<grid.rows {
      for run in grid.runs(ofRow: row) {
        if run.style.isInvisibleOnBlank, run.text.allSatisfy({ $0 == " " }) { continue }
        writer.beginRow()
        writer.integer(run.row + 1)
        writer.integer(run.column + 1)
        writer.integer(run.width)
        writer.text(run.text)
        writer.text(run.style.foreground.hex)
        writer.text(run.style.background.hex)
        writer.text(run.style.attributes.isEmpty ? nil : run.style.attributes)
        try writer.endRow()
      }
    }
    try writer.finish()
  }
}
